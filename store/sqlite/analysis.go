package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"example.com/deputy"
)

type analyses struct{ *store }

const analysisColumns = `SELECT seq, id, person, person_name, name, description, table_name, definition, shared, version, created_at, updated_at FROM deputy_analyses `

func scanAnalysis(row scanner) (a deputy.SavedAnalysis, err error) {
	var key, name, definition string
	var created, updated int64
	err = row.Scan(&a.Seq, &a.ID, &key, &name, &a.Name, &a.Description, &a.Table, &definition, &a.Shared, &a.Version, &created, &updated)
	a.Owner, a.Definition, a.CreatedAt, a.UpdatedAt = known(key, name), raw(definition), moment(created), moment(updated)
	return a, err
}

func (s analyses) Put(ctx context.Context, as deputy.Person, a deputy.SavedAnalysis) (stored deputy.SavedAnalysis, err error) {
	err = s.write(ctx, "analysis", func(t tx) error {
		if a.Version == 0 {
			err = t.addAnalysis(as, a)
		} else {
			err = t.replaceAnalysis(as, a)
		}
		if err != nil {
			return err
		}
		return t.list(analysisColumns+`WHERE id = ?`, []any{a.ID}, func(row scanner) (err error) {
			stored, err = scanAnalysis(row)
			return err
		})
	})
	return stored, err
}

func (t tx) addAnalysis(as deputy.Person, a deputy.SavedAnalysis) error {
	there, err := t.any(`SELECT 1 FROM deputy_analyses WHERE id = ?`, a.ID)
	switch {
	case err != nil:
		return err
	case there:
		return deputy.Errorf(deputy.Conflict, "There is an analysis of this id already.")
	}
	_, err = t.exec(`INSERT INTO deputy_analyses (id, person, person_name, name, folded, searched, description, table_name, definition, shared, version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`, a.ID, as.Key(), as.Name, a.Name, fold(a.Name), fold(a.Description), a.Description, a.Table,
		string(a.Definition), a.Shared, micros(a.CreatedAt), micros(a.UpdatedAt))
	return nameTaken(err)
}

func (t tx) replaceAnalysis(as deputy.Person, a deputy.SavedAnalysis) error {
	var version int64
	switch err := t.get(`SELECT version FROM deputy_analyses WHERE id = ? AND person = ?`, []any{a.ID, as.Key()}, &version); {
	case errors.Is(err, sql.ErrNoRows):
		return missing("analysis")
	case err != nil:
		return err
	case version != a.Version:
		return deputy.Errorf(deputy.Stale, "The saved analysis has changed since.")
	}
	_, err := t.exec(`UPDATE deputy_analyses SET person_name = ?, name = ?, folded = ?, searched = ?, description = ?, table_name = ?, definition = ?, shared = ?,
		version = version + 1, updated_at = ? WHERE id = ?`, as.Name, a.Name, fold(a.Name), fold(a.Description), a.Description, a.Table, string(a.Definition),
		a.Shared, micros(a.UpdatedAt), a.ID)
	return nameTaken(err)
}

func nameTaken(err error) error {
	if taken(err) {
		return deputy.Errorf(deputy.Conflict, "You have another analysis of this name.")
	}
	return err
}

func (s analyses) Get(ctx context.Context, as deputy.Person, id string) (a deputy.SavedAnalysis, err error) {
	err = s.get(ctx, "analysis", analysisColumns+`WHERE id = ? AND (person = ? OR shared)`, []any{id, as.Key()}, func(row scanner) (err error) {
		a, err = scanAnalysis(row)
		return err
	})
	return a, err
}

func (s analyses) List(ctx context.Context, as deputy.Person, f deputy.AnalysisFilter, before int64, limit int) (out []deputy.SavedAnalysis, err error) {
	where, args := narrow(`WHERE (person = ? OR shared) AND seq < ?`, []any{as.Key(), below(before)}, "table_name", f.Table)
	err = s.list(ctx, "analyses", analysisColumns+where+` AND (instr(folded, ?) > 0 OR instr(searched, ?) > 0) ORDER BY seq DESC LIMIT ?`,
		append(args, fold(f.Term), fold(f.Term), max(limit, 0)), func(row scanner) error {
			a, err := scanAnalysis(row)
			out = append(out, a)
			return err
		})
	return out, err
}

func (s analyses) Delete(ctx context.Context, as deputy.Person, id string) error {
	return s.write(ctx, "analysis", func(t tx) error {
		n, err := t.exec(`DELETE FROM deputy_analyses WHERE id = ? AND person = ?`, id, as.Key())
		if err == nil && n == 0 {
			return missing("analysis")
		}
		return err
	})
}
