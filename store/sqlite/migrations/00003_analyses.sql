-- +goose Up
CREATE TABLE deputy_analyses (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE,
    person      TEXT    NOT NULL, -- the owner
    person_name TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    folded      TEXT    NOT NULL, -- the name without regard to case
    searched    TEXT    NOT NULL, -- the description without regard to case
    description TEXT    NOT NULL,
    table_name  TEXT    NOT NULL,
    definition  TEXT    NOT NULL, -- JSON
    shared      INTEGER NOT NULL,
    version     INTEGER NOT NULL, -- how often it was put
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    UNIQUE (person, folded)
) STRICT;
CREATE INDEX deputy_analyses_own ON deputy_analyses (person, seq);
CREATE INDEX deputy_analyses_shared ON deputy_analyses (seq) WHERE shared;

-- What the tool of a proposal has prepared, where it writes outside the host's tables: JSON, or nothing.
ALTER TABLE deputy_proposals ADD COLUMN prepared TEXT NOT NULL DEFAULT '';
