package app

import (
	"cmp"
	"slices"
	"strings"

	"example.com/deputy/query"
)

// looks is what a field seems to hold, by its name and type: a guess for the operator to judge.
type looks int

// The guesses, the strictest last.
const (
	ordinary looks = iota
	freeText
	commercial
	personal
	sensitive
	secret
)

// say is the guess in words, with the class it would have.
func (l looks) say() string {
	return map[looks]string{
		freeText: "may hold anything, as free text or JSON (class internal)", commercial: "looks confidential (class confidential)",
		personal: "looks personal (class confidential)", sensitive: "looks sensitive (class restricted)",
		secret: "never shown to anybody, only whether there is a value (class restricted)", ordinary: "nothing special (class internal)",
	}[l]
}

// The words by which a field is known, each as it stands between underscores.
const (
	sensitiveWords = `salary wage wages income bonus compensation ssn social_security social_security_number national_id national_identity
		personal_number passport passport_number iban bic bank_account account_number routing_number card_number credit_card cc_number cvv cvc
		pin tax_id tin diagnosis medical health disability blood_type religion ethnicity race sexual_orientation political biometric fingerprint
		criminal password_hint security_question security_answer`
	personalWords = `email e_mail mail emailaddress phone phonenumber telephone tel mobile cell cellphone fax address street streetaddress
		postal_code postalcode postcode zip zipcode zip_code birth birthday birthdate born dob date_of_birth gender sex marital_status nationality
		first_name firstname given_name middle_name last_name lastname surname family_name full_name fullname maiden_name username login ip_address
		ip skype avatar photo contact_name signature`
	commercialWords = `cost costs margin profit credit_limit purchase_price buying_price budget forecast commission rebate`
	freeWords       = `note notes comment comments remark remarks body message description text memo feedback`
	nameWords       = `first_name firstname given_name last_name lastname surname family_name full_name fullname`
	birthWords      = `birth birthday birthdate born dob date_of_birth`
	technicalWords  = `migration migrations schema session sessions log logs audit history token tokens secret secrets credential credentials
		password passwords permission permissions role roles user users login logins cache job jobs queue queues tmp temp backup old test
		django auth alembic flyway knex prisma internal metadata setting settings config`
	staffWords  = `employee employees staff agent agents rep reps salesperson seller sellers user users person people worker workers owner owners`
	clientWords = `customer customers client clients company companies organization organizations tenant tenants account accounts member members`
)

// named says whether one of some words stands in a name.
func named(name, words string) bool {
	name = "_" + strings.Trim(strings.Map(withoutDigits, name), "_") + "_"
	for w := range strings.FieldsSeq(words) {
		if strings.Contains(name, "_"+w+"_") {
			return true
		}
	}
	return false
}

func withoutDigits(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// guess says what a field seems to hold.
func guess(t *query.Table, f query.Field) looks {
	_, refers := t.Parent(f.Name)
	switch {
	case f.Secret:
		return secret
	case refers || f.Type == query.Bool:
		return ordinary
	case named(f.Name, sensitiveWords):
		return sensitive
	case f.Type == query.Timestamp && !named(f.Name, birthWords):
		return ordinary
	case named(f.Name, personalWords):
		return personal
	case named(f.Name, commercialWords):
		return commercial
	case f.Type == query.JSON, f.Type == query.String && named(f.Name, freeWords):
		return freeText
	}
	return ordinary
}

// harmless are the fields that the example role may read: those that look ordinary, the key, and the name that a record is called by.
func harmless(t *query.Table) []string {
	var out []string
	for _, f := range t.Fields {
		l := guess(t, f)
		if l <= freeText || l <= personal && (slices.Contains(t.Key, f.Name) || named(f.Name, nameWords) && inLabel(t, f.Name)) {
			out = append(out, f.Name)
		}
	}
	return out
}

func inLabel(t *query.Table, field string) bool {
	return slices.Contains(strings.FieldsFunc(t.RecordLabel, func(r rune) bool { return !strings.ContainsRune(letters, r) }), field)
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// owner is a foreign key by which records belong to a person.
type owner struct {
	table *query.Table
	field string
	to    string // the table of the people
}

// attribute is what the rule calls the person's own record: employee_id.
func (o owner) attribute() string {
	name := o.to
	switch {
	case strings.HasSuffix(name, "ies"):
		name = strings.TrimSuffix(name, "ies") + "y"
	case !strings.HasSuffix(name, "ss"):
		name = strings.TrimSuffix(name, "s")
	}
	return name + "_id"
}

// rule is the condition for the records of a table that belong to the person, directly or through one parent; empty where none do.
func (o owner) rule(t *query.Table, tables map[string]*query.Table) string {
	if o.table == nil {
		return ""
	}
	if field := refersTo(t, o.to); field != "" {
		return field + " == person.attributes." + o.attribute()
	}
	for _, r := range t.Relations {
		if parent := tables[r.Table]; !r.Many && parent != nil && parent != t {
			if field := refersTo(parent, o.to); field != "" {
				return r.Name + "." + field + " == person.attributes." + o.attribute()
			}
		}
	}
	return ""
}

// refersTo is the field by which a table refers to another, empty where none does.
func refersTo(t *query.Table, table string) string {
	for _, r := range t.Relations {
		if r.Many || len(r.From) != 1 || r.Table != table || table == t.Name {
			continue
		}
		if f, _ := t.Field(r.From[0]); f.Type == query.Int || f.Type == query.String {
			return f.Name
		}
	}
	return ""
}

// findOwner is the foreign key that most looks as if it said whose a record is; none has no table.
func findOwner(tables []*query.Table) owner {
	var best owner
	most := 0
	for _, t := range tables {
		for _, r := range t.Relations {
			if r.Many || !grantable(t) || refersTo(t, r.Table) == "" {
				continue
			}
			if s := ownerScore(t, r); s > most {
				best, most = owner{t, refersTo(t, r.Table), r.Table}, s
			}
		}
	}
	return best
}

func ownerScore(t *query.Table, r query.Relation) int {
	s := 1 + min(len(t.Relations), 50)
	switch {
	case named(r.Table, staffWords):
		s += 200
	case named(r.Table, clientWords):
		s += 100
	}
	if named(t.Name, technicalWords) {
		s -= 90
	}
	return s
}

// examples is how many tables the example role reads, at most.
const examples = 4

// choose picks the tables that the example role reads: the one with an owner, then those that say most while nothing in them looks personal.
func choose(tables []*query.Table, byName map[string]*query.Table, o owner) map[string]bool {
	scores := map[*query.Table]int{}
	var list []*query.Table
	for _, t := range tables {
		if grantable(t) {
			list = append(list, t)
			scores[t] = tableScore(t, o.table == t, o.rule(t, byName) != "")
		}
	}
	slices.SortStableFunc(list, func(a, b *query.Table) int { return cmp.Compare(scores[b], scores[a]) })
	out := map[string]bool{}
	for _, t := range list[:min(len(list), examples)] {
		if len(out) == 0 || scores[t] > 0 {
			out[t.Name] = true
		}
	}
	return out
}

// grantable says whether an example may read a table: something is left of it, and its key is nothing sensitive.
func grantable(t *query.Table) bool {
	left := harmless(t)
	return len(left) > 0 && !slices.ContainsFunc(t.Key, func(k string) bool { return !slices.Contains(left, k) })
}

func tableScore(t *query.Table, owned, ruled bool) int {
	s := min(len(t.Relations), 6)
	add := func(points int, is bool) {
		if is {
			s += points
		}
	}
	add(1000, owned)
	add(8, ruled)
	add(4, t.RecordLabel != "")
	add(3, len(harmless(t)) == len(t.Fields))
	add(2, len(t.Fields) > len(t.Key))
	add(-50, t.View || len(t.Key) == 0)
	add(-100, named(t.Name, technicalWords))
	return s
}
