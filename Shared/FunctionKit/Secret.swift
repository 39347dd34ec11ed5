/// A value that does not show itself when it is printed, interpolated or dumped.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The value itself; naming it is deliberate.
  public let exposed: Value

  /// Hides a value.
  public init(_ value: Value) {
    exposed = value
  }

  /// `«redacted»`.
  public var description: String { "«redacted»" }
  /// `«redacted»`.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
