// Dex, an issuer of OpenID Connect, with people and clients from a file, and all else in memory, without a
// database: dex FILE. Only tests need it.
package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"

	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"golang.org/x/crypto/bcrypt"
)

type person struct {
	Email, Name, Password string
}

type config struct {
	// The URL of the issuer, and the address on which it listens.
	Issuer, Address string
	Clients         []storage.Client
	People          []person
}

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := serve(os.Args[1], logger); err != nil {
		logger.Error(err.Error())
		os.Exit(1)
	}
}

func serve(file string, logger *slog.Logger) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var given config
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	kept, err := keep(given, logger)
	if err != nil {
		return err
	}
	handler, err := server.NewServer(context.Background(), server.Config{
		Issuer:             given.Issuer,
		Storage:            kept,
		SkipApprovalScreen: true,
		PasswordConnector:  server.LocalConnector,
		Logger:             logger,
	})
	if err != nil {
		return err
	}
	logger.Info("listening", "address", given.Address)
	return http.ListenAndServe(given.Address, handler)
}

func keep(given config, logger *slog.Logger) (storage.Storage, error) {
	passwords := []storage.Password{}
	for _, each := range given.People {
		hash, err := bcrypt.GenerateFromPassword([]byte(each.Password), bcrypt.DefaultCost)
		if err != nil {
			return nil, err
		}
		passwords = append(passwords, storage.Password{Email: each.Email, Username: each.Name, UserID: each.Email, Hash: hash})
	}
	kept := storage.WithStaticClients(memory.New(logger), given.Clients)
	kept = storage.WithStaticPasswords(kept, passwords, logger)
	local := storage.Connector{ID: server.LocalConnector, Type: server.LocalConnector, Name: "Email"}
	return storage.WithStaticConnectors(kept, []storage.Connector{local}), nil
}
