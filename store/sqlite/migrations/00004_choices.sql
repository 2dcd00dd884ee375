-- +goose Up

-- Which toolsets a person has switched on or off in a conversation, as JSON.
ALTER TABLE deputy_conversations ADD COLUMN choices TEXT NOT NULL DEFAULT '[]';
