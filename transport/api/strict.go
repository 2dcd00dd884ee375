package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth is how deep a body may nest.
const maxDepth = 16

// keyLetters are what the keys of all bodies are made of.
const keyLetters = "abcdefghijklmnopqrstuvwxyz_"

// decode reads a body as strictly as it is described: one value, no key twice, keys byte for byte as they are written in the contract.
// encoding/json and the validation that follows fold keys, so that they would take TEXT and haſh for text and hash: among the keys that are
// let through here, no two fold to one. Those that a schema does not have are refused by the validation.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := checkValue(d, 0); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the end of the JSON value")
	}
	return json.Unmarshal(data, v)
}

func checkValue(d *json.Decoder, depth int) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("this is not JSON: %w", err)
	}
	if depth > maxDepth {
		return errors.New("this nests too deep")
	}
	switch t {
	case json.Delim('{'):
		return checkObject(d, depth)
	case json.Delim('['):
		for d.More() {
			if err := checkValue(d, depth+1); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}

func checkObject(d *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("this is not JSON: %w", err)
		}
		key, _ := t.(string) // the decoder gives nothing else here
		switch {
		case seen[key]:
			return fmt.Errorf("the key %q stands twice", key)
		case strings.Trim(key, keyLetters) != "":
			return fmt.Errorf("unknown key %q: keys have lower case letters from a to z and _", key)
		}
		seen[key] = true
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}
