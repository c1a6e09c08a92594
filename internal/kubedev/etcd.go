package main

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd starts one member on free ports of 127.0.0.1. It does not sync to disk: tests need speed and no safety.
func startEtcd(dir string) (*embed.Etcd, error) {
	const patience = 30 * time.Second
	config := embed.NewConfig()
	config.Dir = dir
	// It warns at every start of being small, and calls its own end an error. What matters is returned as an error.
	config.LogLevel = "fatal"
	config.LogOutputs = []string{"stderr"}
	config.UnsafeNoFsync = true
	free := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenClientUrls, config.AdvertiseClientUrls = free, free
	config.ListenPeerUrls, config.AdvertisePeerUrls = free, free
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, fmt.Errorf("in %s: %w", dir, err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err = <-etcd.Err():
	case <-etcd.Server.StopNotify():
		err = errors.New("it stopped")
	case <-time.After(patience):
		err = fmt.Errorf("not ready after %v", patience)
	}
	etcd.Close()
	return nil, err
}
