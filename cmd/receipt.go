package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lane/runner"
)

// signFlags are --sign and --receipt.
type signFlags struct{ key, file string }

func (s *signFlags) register(fl *pflag.FlagSet, where string) {
	fl.StringVar(&s.key, "sign", "", "sign a receipt with this SSH key (a file, as for ssh-keygen -Y)")
	fl.StringVar(&s.file, "receipt", "", "where the signed receipt goes ("+where+")")
}

// check says what is missing before anything is done.
func (s *signFlags) check() error {
	if s.key == "" {
		if s.file != "" {
			return &runner.UsageError{Reason: "sign", Detail: "--receipt needs --sign KEY"}
		}
		return nil
	}
	info, err := os.Stat(s.key)
	if err != nil {
		return &runner.UsageError{Reason: "sign", Detail: "--sign: " + err.Error()}
	}
	if !info.Mode().IsRegular() {
		return &runner.UsageError{Reason: "sign", Detail: "--sign takes the file of an SSH key, and " + q(s.key) + " is none"}
	}
	return checkPlace("--receipt", s.file)
}

// write signs what was found and writes the receipt.
func (s *signFlags) write(ctx context.Context, file string, payload []byte) error {
	if s.key == "" {
		return nil
	}
	if s.file != "" {
		file = s.file
	}
	b, err := runner.SignReceipt(ctx, s.key, payload)
	if err == nil {
		err = os.WriteFile(file, b, 0o644)
	}
	if err != nil {
		return err
	}
	tell(os.Stderr, "signed receipt: %s", file)
	return nil
}

// signRun signs a run's record. A run that kept none has no default place.
func (s *signFlags) signRun(ctx context.Context, res runner.Result) error {
	if s.key == "" {
		return nil
	}
	file := s.file
	if file == "" {
		if res.RunDir == "" {
			return &runner.Refusal{Reason: "sign", Detail: "there is no run to keep a receipt with", Hint: "--receipt FILE names a place"}
		}
		file = filepath.Join(res.RunDir, "record", "receipt.json")
	}
	b, err := res.MarshalIndent()
	if err != nil {
		return err
	}
	return s.write(ctx, file, b)
}

func receiptCommand() *cobra.Command {
	c := &cobra.Command{Use: "receipt", Short: "Check a signed receipt", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(receiptVerify())
	return c
}

func receiptVerify() *cobra.Command {
	var signers string
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify FILE",
		Short: "Say who signed a receipt, and what it says",
		Long: `Say who signed a receipt that lane run --sign or lane gate --sign made, and what
it says. The signature is one of ssh-keygen -Y, as git's own are, and is checked
against an allowed-signers file as git's gpg.ssh.allowedSignersFile names one.

The exit code is 0 only if the signature is right and by a key of that file. It
says who vouches for the receipt, not that the machine it was made on is sound.`,
		Args: one("the receipt's file"),
		RunE: func(c *cobra.Command, args []string) error {
			if signers == "" {
				return &runner.UsageError{Reason: "signers", Detail: "--signers FILE is missing: whose signature counts (ssh-keygen(1), ALLOWED SIGNERS)"}
			}
			b, err := os.ReadFile(args[0])
			if err != nil {
				return &runner.UsageError{Reason: "receipt", Detail: err.Error()}
			}
			who, payload, err := runner.VerifyReceipt(c.Context(), b, signers)
			if err != nil {
				return err
			}
			return printReceipt(who, payload, asJSON)
		},
	}
	c.Flags().StringVar(&signers, "signers", "", "the allowed-signers file")
	c.Flags().BoolVar(&asJSON, "json", false, "print what was signed, as it was signed")
	return c
}

func printReceipt(who string, payload []byte, asJSON bool) error {
	if asJSON {
		_, err := stdout.Write(payload)
		return told(err)
	}
	var r struct {
		Schema  string              `json:"schema"`
		Run     string              `json:"run"`
		Status  string              `json:"status"`
		Held    *bool               `json:"held"`
		Lane    runner.LaneInfo     `json:"lane"`
		Host    runner.HostInfo     `json:"host"`
		Writer  runner.WriterResult `json:"writer"`
		Plan    string              `json:"plan_sha256"`
		Receipt *runner.Receipt     `json:"receipt"`
	}
	if err := json.Unmarshal(payload, &r); err != nil {
		return &runner.Refusal{Reason: "receipt", Detail: "what was signed is not JSON", Exit: runner.ExitFailed}
	}
	if r.Receipt != nil {
		r.Lane, r.Host = r.Receipt.Lane, r.Receipt.Host
		if r.Receipt.Writer != nil {
			r.Writer = *r.Receipt.Writer
		}
	}
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(stdout, "%-10s %s\n", key, runner.Printable(value))
		}
	}
	line("signed by", who)
	line("what", r.Schema+" "+r.Run)
	line("status", r.Status)
	if r.Held != nil {
		line("held", fmt.Sprint(*r.Held))
	}
	line("lane", r.Lane.Version+" "+r.Lane.Revision)
	line("host", fmt.Sprintf("%s/%s %s, Landlock ABI %d", r.Host.OS, r.Host.Arch, r.Host.Kernel, r.Host.Landlock))
	line("writer", r.Writer.Name+" "+r.Writer.Version+" "+r.Writer.SHA256)
	line("plan", r.Plan)
	return nil
}
