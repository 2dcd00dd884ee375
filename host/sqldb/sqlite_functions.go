package sqldb

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	modernc "modernc.org/sqlite"

	"example.com/deputy/internal/decimal"
	"example.com/deputy/query"
)

// call is one operator of a statement under way, as the function deputy_op finds it by its number: what is constant of it stays here. It is
// computed by one goroutine at a time.
type call struct {
	fn    string
	zone  *time.Location
	args  []argument
	path  []string // of JSON, instead of fn
	t     query.Type
	quick quick
	made  map[int]driver.Value // of a quickPeriod
}

// argument is constant, computed by a call of its own, or the next of those that the statement passes: in the form of its type, or, of a column, as
// it is kept.
type argument struct {
	constant bool
	value    query.Value
	number   scaled // the same, as far as it is known
	kind     reading
	call     *call
	col      *column
	t        query.Type
}

// read takes the value of an argument from the front of what was passed.
func (a *argument) read(passed *[]driver.Value) query.Value {
	switch {
	case a.constant:
		return a.value
	case a.call != nil:
		return a.call.compute(passed)
	case len(*passed) == 0:
		return nil
	}
	raw := (*passed)[0]
	*passed = (*passed)[1:]
	if a.col != nil {
		return a.col.value(raw)
	}
	return decode(raw, a.t)
}

// remember gives a call a number, for as long as its statement runs.
func (db *sqlite) remember(c *call) int64 {
	n := db.last.Add(1)
	db.calls.Store(n, c)
	return n
}

// forget ends a statement.
func (db *sqlite) forget(c *compiler) {
	for _, n := range c.calls {
		db.calls.Delete(n)
	}
}

// register gives a driver the functions that compute what SQLite computes otherwise: each calls query.Compute, so that there is one
// meaning. Strings handed to them are SQLite's memory and are not kept.
//
//	deputy_value(column, x)   what the column's x is, in the form of its type
//	deputy_version(column, x) what the version of a record is made of, where the column has x
//	deputy_op(call, …)        an operator of the language
//	deputy_fold(call, …)      an exact sum, avg, min or max
//	deputy_same(x, type)      one form for all texts of the same decimal or JSON
func (db *sqlite) register(d *modernc.Driver) error {
	scalar := func(name string, args int32, f func([]driver.Value) (driver.Value, error)) error {
		return d.RegisterFunction(name, &modernc.FunctionImpl{NArgs: args, Deterministic: true, VolatileArgs: true,
			Scalar: func(_ *modernc.FunctionContext, args []driver.Value) (driver.Value, error) { return f(args) }})
	}
	for _, err := range []error{
		scalar("deputy_value", 2, db.reader((*column).value)),
		scalar("deputy_version", 2, db.reader((*column).version)),
		scalar("deputy_op", -1, db.op),
		scalar("deputy_same", 2, sameForm),
		d.RegisterFunction("deputy_fold", &modernc.FunctionImpl{NArgs: -1, Deterministic: true, VolatileArgs: true,
			MakeAggregate: func(modernc.FunctionContext) (modernc.AggregateFunction, error) { return &fold{db: db}, nil }}),
		d.RegisterCollationUtf8("deputy_decimal", compareDecimals),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// reader reads what a column, given by its number, holds.
func (db *sqlite) reader(read func(*column, any) query.Value) func([]driver.Value) (driver.Value, error) {
	return func(args []driver.Value) (driver.Value, error) {
		n, ok := args[0].(int64)
		if !ok || n < 0 || n >= int64(len(db.columns)) {
			return nil, fmt.Errorf("no column %v", args[0])
		}
		return encode(read(db.columns[n], args[1])), nil
	}
}

func (db *sqlite) find(number driver.Value) (*call, error) {
	if c, ok := db.calls.Load(number); ok {
		return c.(*call), nil
	}
	return nil, fmt.Errorf("no call %v", number)
}

func (db *sqlite) op(args []driver.Value) (driver.Value, error) {
	c, err := db.find(args[0])
	if err != nil {
		return nil, err
	}
	args = args[1:]
	switch c.quick {
	case quickPeriod:
		if v, ok := c.start(args[0]); ok {
			return v, nil
		}
	case quickComparison:
		if is, ok := c.compared(args); ok {
			return encode(is), nil
		}
	}
	return encode(c.compute(&args)), nil
}

// compute is the long way, which has every meaning. It takes what it reads from the front of what was passed.
func (c *call) compute(passed *[]driver.Value) query.Value {
	values := make([]query.Value, len(c.args))
	for i := range c.args {
		values[i] = c.args[i].read(passed)
	}
	if c.path != nil {
		doc, ok := values[0].(query.Doc)
		if !ok {
			return nil
		}
		return query.Extract(doc, c.path, c.t)
	}
	v := query.Compute(c.fn, c.zone, values...)
	if n, ok := v.(int64); ok && c.t == query.Dec {
		return query.Decimal(fmt.Sprint(n))
	}
	return v
}

func compareDecimals(a, b string) int {
	c, _ := query.Compare(query.Decimal(a), query.Decimal(b))
	return c
}

func sameForm(args []driver.Value) (driver.Value, error) {
	text, ok := args[0].(string)
	if !ok {
		return args[0], nil
	}
	var b bytes.Buffer
	if args[1] == string(query.JSON) && json.Compact(&b, []byte(text)) == nil {
		return b.String(), nil
	}
	if d, ok := decimal.Parse(text); ok && args[1] == string(query.Dec) {
		return d.Trim().String(), nil
	}
	return text, nil
}

// fold is one exact aggregate under way: of sums, first what fits 64 bits.
type fold struct {
	db    *sqlite
	call  *call
	count int64
	part  scaled
	sum   decimal.D
	best  query.Value
	least scaled // the same as best, where it is known
	kind  reading
}

// Step implements modernc.AggregateFunction.
func (f *fold) Step(_ *modernc.FunctionContext, args []driver.Value) (err error) {
	if f.call == nil {
		if f.call, err = f.db.find(args[0]); err != nil {
			return err
		}
	}
	a := &f.call.args[0]
	passed := args[1:]
	if n, k := a.scaled(&passed); k == isNull || k == isScaled && f.quickly(n) {
		return nil
	}
	passed = args[1:]
	v := a.read(&passed)
	if f.call.fn == "min" || f.call.fn == "max" {
		f.take(v)
		return nil
	}
	if d, ok := decimalOf(v); ok {
		f.count++
		f.sum = decimal.Add(f.sum, d)
	}
	return nil
}

// quickly takes a number; false where that is for the long way.
func (f *fold) quickly(n scaled) bool {
	if f.call.fn == "min" || f.call.fn == "max" {
		return f.takeQuickly(n)
	}
	f.count++
	x, y, scale, ok := aligned(f.part, n)
	if ok {
		x, ok = sum64(x, y)
	}
	if ok {
		f.part = scaled{x, scale}
		return true
	}
	f.sum, f.part = decimal.Add(f.sum, f.part.exactly()), n
	return true
}

func (f *fold) takeQuickly(n scaled) bool {
	if f.best == nil && f.kind == otherwise {
		f.least, f.kind = n, isScaled
		return true
	}
	x, y, _, ok := aligned(f.least, n)
	if f.kind != isScaled || !ok {
		return false
	}
	if f.call.fn == "min" && y < x || f.call.fn == "max" && y > x {
		f.least = n
	}
	return true
}

func decimalOf(v query.Value) (decimal.D, bool) {
	switch x := v.(type) {
	case int64:
		return decimal.FromInt(x), true
	case query.Decimal:
		return decimal.Parse(string(x))
	}
	return decimal.D{}, false
}

func (f *fold) take(v query.Value) {
	f.settle()
	c, ok := query.Compare(v, f.best)
	_, comparable := query.Compare(v, v)
	if f.best != nil && (!ok || f.call.fn == "min" && c >= 0 || f.call.fn == "max" && c <= 0) || !comparable {
		return
	}
	f.best = v
	if d, ok := v.(query.Decimal); ok {
		f.best = query.Decimal(strings.Clone(string(d)))
	}
}

// settle gives the best so far for the long way, from which there is no way back.
func (f *fold) settle() {
	if f.kind == isScaled {
		f.best = query.Decimal(f.least.String())
	}
	f.kind = isNull
}

// WindowInverse implements modernc.AggregateFunction; no statement uses windows.
func (f *fold) WindowInverse(*modernc.FunctionContext, []driver.Value) error {
	return fmt.Errorf("deputy_fold is no window function")
}

// WindowValue implements modernc.AggregateFunction: the result.
func (f *fold) WindowValue(*modernc.FunctionContext) (driver.Value, error) {
	f.settle()
	f.sum, f.part = decimal.Add(f.sum, f.part.exactly()), scaled{}
	switch {
	case f.call == nil, f.count == 0 && f.best == nil:
		return nil, nil
	case f.best != nil:
		return encode(f.best), nil
	case f.call.fn == "avg":
		q, _ := decimal.Quo(f.sum, decimal.FromInt(f.count), 16)
		return limited(q.Trim()), nil
	case f.call.t == query.Int:
		n, ok := f.sum.Int64()
		if !ok {
			return nil, nil
		}
		return n, nil
	}
	return limited(f.sum), nil
}

func limited(d decimal.D) driver.Value {
	d, ok := d.Limit()
	if !ok {
		return nil
	}
	return d.String()
}

// Final implements modernc.AggregateFunction.
func (f *fold) Final(*modernc.FunctionContext) {}
