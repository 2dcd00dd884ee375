package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// buildInfo is what the binary knows of itself.
type buildInfo struct {
	Version, Commit string
	Settings        []string
}

// version reads what the Go toolchain wrote into the binary.
func version() buildInfo {
	out := buildInfo{Version: "(devel)", Commit: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	if info.Main.Version != "" {
		out.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			out.Commit = s.Value
		case "CGO_ENABLED", "-trimpath", "-ldflags", "vcs.modified", "vcs.time":
			out.Settings = append(out.Settings, s.Key+"="+s.Value)
		}
	}
	return out
}

type versionCmd struct{}

// Run prints it.
func (*versionCmd) Run(in invocation) error {
	v := version()
	_, err := fmt.Fprintf(in.out, "deputy %s\ncommit %s\n%s %s/%s\n", v.Version, v.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, s := range v.Settings {
		if err == nil {
			_, err = fmt.Fprintln(in.out, s)
		}
	}
	return err
}
