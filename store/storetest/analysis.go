package storetest

import (
	"encoding/json"
	"fmt"
	"testing"

	"example.com/deputy"
)

// analysis is one of somebody's that is new.
func analysis(id, name string, shared bool) deputy.SavedAnalysis {
	return deputy.SavedAnalysis{ID: id, Name: name, Description: "of " + name, Table: "orders", Definition: json.RawMessage(`{ "table" : "orders"}`), Shared: shared,
		CreatedAt: at(0), UpdatedAt: at(0)}
}

func put(t *testing.T, s deputy.Store, as deputy.Person, a deputy.SavedAnalysis) deputy.SavedAnalysis {
	t.Helper()
	return get[deputy.SavedAnalysis](t)(s.Analyses.Put(t.Context(), as, a))
}

func analysisRoundTrip(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	given := full[deputy.SavedAnalysis]()
	given.Version = 0
	given.Owner = bo() // whoever is said to be
	want := given
	want.Owner, want.Version = ana(), 1
	got := put(t, s, ana(), given)
	if want.Seq = got.Seq; got.Seq == 0 {
		t.Error("it has no place in the lists")
	}
	same(t, "put", got, want)
	same(t, "got", get[deputy.SavedAnalysis](t)(s.Analyses.Get(ctx, ana(), given.ID)), want)

	next := analysis(given.ID, "another name", false)
	next.Version, next.Table, next.CreatedAt, next.UpdatedAt = 1, "invoices", at(40), at(50)
	want = next
	want.Seq, want.Owner, want.Version, want.CreatedAt = got.Seq, ana(), 2, given.CreatedAt
	same(t, "replaced", put(t, s, ana(), next), want)
	same(t, "listed", get[[]deputy.SavedAnalysis](t)(s.Analyses.List(ctx, ana(), deputy.AnalysisFilter{}, 0, 10)), []deputy.SavedAnalysis{want})

	// The caller's bytes are not the store's.
	next.Definition[0] = '['
	get[deputy.SavedAnalysis](t)(s.Analyses.Get(ctx, ana(), given.ID)).Definition[0] = '['
	same(t, "kept", string(get[deputy.SavedAnalysis](t)(s.Analyses.Get(ctx, ana(), given.ID)).Definition), `{ "table" : "orders"}`)
}

func analysisRefused(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	first := put(t, s, ana(), analysis("ana_1", "Revenue", false))
	second := put(t, s, ana(), analysis("ana_2", "Größe", true))
	for name, c := range map[string]struct {
		as   deputy.Person
		a    deputy.SavedAnalysis
		want deputy.Code
	}{
		"an id that is taken":      {ana(), analysis("ana_1", "other", false), deputy.Conflict},
		"another's id":             {bo(), analysis("ana_1", "other", false), deputy.Conflict},
		"a name that is taken":     {ana(), analysis("ana_3", "REVENUE", false), deputy.Conflict},
		"a name in another case":   {ana(), analysis("ana_3", "GRÖSSE", false), ""},
		"a name that another has":  {twin(), analysis("ana_4", "Revenue", false), ""},
		"one that is not there":    {ana(), versioned("ana_9", "other", 1), deputy.NotFound},
		"another's":                {bo(), versioned("ana_1", "other", 1), deputy.NotFound},
		"another's that is shared": {bo(), versioned("ana_2", "other", 1), deputy.NotFound},
		"an older one":             {ana(), versioned("ana_1", "other", 2), deputy.Stale},
		"to a name that is taken":  {ana(), versioned("ana_1", "GRÖßE", 1), deputy.Conflict},
	} {
		if _, err := s.Analyses.Put(ctx, c.as, c.a); c.want != deputy.CodeOf(err) && (c.want != "" || err != nil) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	same(t, "the first", get[deputy.SavedAnalysis](t)(s.Analyses.Get(ctx, ana(), "ana_1")), first)
	same(t, "the second", get[deputy.SavedAnalysis](t)(s.Analyses.Get(ctx, ana(), "ana_2")), second)

	// In its own place the name may stay, in any case.
	put(t, s, ana(), versioned("ana_1", "revenue", 1))
	must(t, s.Analyses.Delete(ctx, ana(), "ana_1"))
	_, err := s.Analyses.Get(ctx, ana(), "ana_1")
	refused(t, deputy.NotFound, err)
	refused(t, deputy.NotFound, s.Analyses.Delete(ctx, ana(), "ana_1"))
	refused(t, deputy.NotFound, s.Analyses.Delete(ctx, bo(), "ana_2")) // shared is not his
	put(t, s, ana(), analysis("ana_5", "Revenue", false))              // the name is free
}

func versioned(id, name string, version int64) deputy.SavedAnalysis {
	a := analysis(id, name, false)
	a.Version = version
	return a
}

func analysisLists(t *testing.T, s deputy.Store) {
	ctx := t.Context()
	for n := range 5 {
		put(t, s, ana(), analysis(fmt.Sprintf("ana_%d", n), fmt.Sprintf("Hers %d", n), n == 4))
	}
	his := analysis("ana_his", "Ærlig SALG 100%", true)
	his.Table, his.Description = "invoices", "What Bo _sells_"
	put(t, s, bo(), his)
	put(t, s, bo(), analysis("ana_own", "His own", false))
	of := func(as deputy.Person, f deputy.AnalysisFilter, before int64, limit int) []string {
		t.Helper()
		return pluck(get[[]deputy.SavedAnalysis](t)(s.Analyses.List(ctx, as, f, before, limit)), func(a deputy.SavedAnalysis) string { return a.ID })
	}
	none := deputy.AnalysisFilter{}
	same(t, "hers", of(ana(), none, 0, 10), []string{"ana_his", "ana_4", "ana_3", "ana_2", "ana_1", "ana_0"})
	same(t, "his", of(bo(), none, 0, 10), []string{"ana_own", "ana_his", "ana_4"})
	same(t, "the twin's", of(twin(), none, 0, 10), []string{"ana_his", "ana_4"})
	same(t, "none", of(ana(), none, 0, 0), []string{})
	page := get[[]deputy.SavedAnalysis](t)(s.Analyses.List(ctx, ana(), none, 0, 2))
	same(t, "the next page", of(ana(), none, page[1].Seq, 2), []string{"ana_3", "ana_2"})
	for term, want := range map[string][]string{"hers 1": {}, "ærlig salg": {"ana_his"}, "bo _SELLS": {"ana_his"}, "100%": {"ana_his"}, "0_": {}, "_": {"ana_his"}, "of h": {"ana_own", "ana_4"}} {
		same(t, term, of(bo(), deputy.AnalysisFilter{Term: term}, 0, 10), want)
	}
	same(t, "by table", of(ana(), deputy.AnalysisFilter{Table: "invoices"}, 0, 10), []string{"ana_his"})
	same(t, "by both", of(ana(), deputy.AnalysisFilter{Table: "orders", Term: "hers 3"}, 0, 10), []string{"ana_3"})

	// What is not shared any more is gone for others.
	his.Version, his.Shared = 1, false
	put(t, s, bo(), his)
	same(t, "not shared any more", of(ana(), deputy.AnalysisFilter{Table: "invoices"}, 0, 10), []string{})
	_, err := s.Analyses.Get(ctx, ana(), "ana_his")
	refused(t, deputy.NotFound, err)
}

// analysisContention: of many who replace one version, one wins.
func analysisContention(t *testing.T, s deputy.Store) {
	put(t, s, ana(), analysis("ana_1", "Revenue", false))
	race(t, 30, deputy.Stale, func(n int) error {
		_, err := s.Analyses.Put(t.Context(), ana(), versioned("ana_1", fmt.Sprintf("Revenue %d", n), 1))
		return err
	})
	race(t, 30, deputy.Conflict, func(n int) error {
		_, err := s.Analyses.Put(t.Context(), ana(), analysis(fmt.Sprintf("ana_n%d", n), "One name", false))
		return err
	})
}
