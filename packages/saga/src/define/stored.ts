/**
 * A value as it comes back from where it was stored as JSON: a `Date` is its text, a `Map` or a `Set` is
 * empty, functions are gone. A `bigint` cannot be stored.
 */
export type Stored<Value> = unknown extends Value
  ? Value
  : Value extends { toJSON(...given: never[]): infer Text }
    ? Stored<Text>
    : Value extends bigint | symbol | Gone
      ? never
      : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
        ? object
        : Value extends readonly unknown[]
          ? { [Place in keyof Value]: Stored<Value[Place]> }
          : Value extends object
            ? { [Key in keyof Value as Value[Key] extends Gone ? never : Key]: Stored<Value[Key]> }
            : Value

// oxlint-disable-next-line typescript/no-explicit-any -- functions of every type
type Gone = (...given: any[]) => unknown

/** The same for the properties of an object. */
export type StoredObject<Value extends object> = Extract<Stored<Value>, object>
