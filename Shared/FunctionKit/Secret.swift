/// A value that does not show itself when it is printed, interpolated or dumped.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The value itself.
  package let exposed: Value

  /// Hides a value.
  package init(_ value: Value) {
    exposed = value
  }

  /// `«redacted»`.
  package var description: String { "«redacted»" }
  /// `«redacted»`.
  package var debugDescription: String { description }
  /// Nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
