// Package deputy puts an AI assistant into an existing business application. It works as the person who uses it: it reads what they may
// read, only ever proposes a write, runs it once when that person confirms, and keeps every call on record.
//
// The tour: a [Caller] (a [Person] at a [Door]) starts a turn. The engine calls a [Model], which calls tools ([Tool]); each call goes
// through one place, runs against the guarded host ([View]) and leaves one row in the log. A Propose tool writes nothing: it leaves a
// [Proposal] that waits. Its owner confirms it ([Door.Confirm]), and the engine applies it once ([Host.Apply]).
package deputy
