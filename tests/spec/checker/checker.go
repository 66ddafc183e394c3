// Check what permacite's log gives out, with Go's packages for transparency logs and nothing of ours.
//
//	checker bundle KEY DIRECTORY           an unzipped proof: leaf, way to the root, signed root
//	checker grown KEY OLD NEW PROOF        two checkpoints, and the hashes between them, one a line
//	checker tiles KEY DIRECTORY            a log in tiles: every entry and node under its checkpoint
//
// It prints "ok" with what was found. Exit status 1 and a sentence say what does not hold.
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8 // a tile holds up to 256 hashes (C2SP tlog-tiles)

func main() {
	if len(os.Args) < 4 {
		fail("usage: checker bundle|grown|tiles KEY PATHS...")
	}
	key := strings.TrimSpace(os.Args[2])
	switch paths := os.Args[3:]; os.Args[1] {
	case "bundle":
		bundle(key, paths[0])
	case "grown":
		grown(key, paths[0], paths[1], paths[2])
	case "tiles":
		tiles(key, paths[0])
	default:
		fail("unknown check " + os.Args[1])
	}
}

// bundle checks that leaf.json is the entry that proof.tlog-proof leads to the signed root.
func bundle(key, directory string) {
	head, signed, found := strings.Cut(read(directory, "proof.tlog-proof"), "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		fail("proof.tlog-proof is no proof")
	}
	tree := checkpoint(key, signed)
	if body(signed) != read(directory, "checkpoint.txt") {
		fail("checkpoint.txt is another checkpoint")
	}
	index := number(strings.TrimPrefix(lines[1], "index "))
	leaf := tlog.RecordHash([]byte(read(directory, "leaf.json")))
	check(tlog.CheckRecord(tlog.RecordProof(hashes(lines[2:])), tree.N, tree.Hash, index, leaf))
	fmt.Printf("ok entry %d of %d\n", index, tree.N)
}

// grown checks that the newer of two checkpoints begins with the older one.
func grown(key, older, newer, proof string) {
	old, new := checkpoint(key, read(older)), checkpoint(key, read(newer))
	way := tlog.TreeProof(hashes(strings.Fields(read(proof))))
	check(tlog.CheckTree(way, new.N, new.Hash, old.N, old.Hash))
	fmt.Printf("ok %d to %d\n", old.N, new.N)
}

// tiles checks every hash and every entry of a log on disk against its checkpoint.
func tiles(key, directory string) {
	tree := checkpoint(key, read(directory, "checkpoint"))
	reader := tlog.TileHashReader(tree, onDisk(directory))
	root, err := tlog.TreeHash(tree.N, reader)
	check(err)
	if root != tree.Hash {
		fail("the tiles lead to another root")
	}
	for index := int64(0); index < tree.N; index++ {
		proof, err := tlog.ProveRecord(tree.N, index, reader)
		check(err)
		leaf := tlog.RecordHash(entry(directory, index, tree.N))
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, leaf))
	}
	fmt.Printf("ok %d entries\n", tree.N)
}

// onDisk reads tiles from a directory.
type onDisk string

func (directory onDisk) Height() int { return tileHeight }

func (directory onDisk) SaveTiles([]tlog.Tile, [][]byte) {}

func (directory onDisk) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		// Go's paths begin with the height, which is always 8 here and left out.
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(string(directory), path))
		if err != nil {
			return nil, err
		}
		found = append(found, data)
	}
	return found, nil
}

// entry returns one entry out of the bundle that holds it.
func entry(directory string, index, size int64) []byte {
	width := size - index>>tileHeight<<tileHeight
	if width > 1<<tileHeight {
		width = 1 << tileHeight
	}
	tile := tlog.Tile{H: tileHeight, L: -1, N: index >> tileHeight, W: int(width)}
	path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
	data := []byte(read(directory, path))
	for skipped := index & (1<<tileHeight - 1); ; skipped-- {
		if len(data) < 2 || len(data)-2 < int(binary.BigEndian.Uint16(data)) {
			fail(fmt.Sprintf("%s ends before entry %d", path, index))
		}
		length := 2 + int(binary.BigEndian.Uint16(data))
		if skipped == 0 {
			return data[2:length]
		}
		data = data[length:]
	}
}

// checkpoint returns the tree of a signed note, once the key is found to have signed it.
func checkpoint(key, signed string) tlog.Tree {
	verifier, err := note.NewVerifier(key)
	check(err)
	opened, err := note.Open([]byte(signed), note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		fail("the note is no checkpoint of this log")
	}
	return tlog.Tree{N: number(lines[1]), Hash: hashes(lines[2:3])[0]}
}

// body returns what is signed of a note.
func body(signed string) string {
	text, _, _ := strings.Cut(signed, "\n\n")
	return text + "\n"
}

// hashes reads base64.
func hashes(lines []string) []tlog.Hash {
	var found []tlog.Hash
	for _, line := range lines {
		data, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(data) != sha256.Size {
			fail("no hash: " + line)
		}
		var hash tlog.Hash
		copy(hash[:], data)
		found = append(found, hash)
	}
	return found
}

func number(text string) int64 {
	found, err := strconv.ParseInt(text, 10, 64)
	check(err)
	return found
}

func read(path ...string) string {
	data, err := os.ReadFile(filepath.Join(path...))
	check(err)
	return string(data)
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(sentence string) {
	fmt.Fprintln(os.Stderr, sentence)
	os.Exit(1)
}
