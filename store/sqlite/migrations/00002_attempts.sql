-- +goose Up
-- Requests under keys of their callers' own. Neither keys, nor what was asked for, nor answers are kept: hashes, and the id of what came of it.
CREATE TABLE deputy_attempts (
    person  TEXT    NOT NULL,
    key     TEXT    NOT NULL, -- a hash
    body    TEXT    NOT NULL, -- a hash
    id      TEXT    NOT NULL,
    done    INTEGER NOT NULL,
    epoch   INTEGER NOT NULL, -- how often it was begun
    until   INTEGER NOT NULL, -- who works on it has until then
    expires INTEGER NOT NULL,
    PRIMARY KEY (person, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX deputy_attempts_expires ON deputy_attempts (expires);
