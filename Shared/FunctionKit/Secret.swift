/// A value that does not show itself when it is printed, interpolated or dumped.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The value, which must not be printed or logged.
  package let exposed: Value

  package init(_ value: Value) {
    exposed = value
  }

  package var description: String { "«redacted»" }
  package var debugDescription: String { description }
  /// No children, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
