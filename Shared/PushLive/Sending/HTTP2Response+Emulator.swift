import HTTP2

extension HTTP2Response {
  /// Whether a push emulator says by a field of its own that it is one.
  var isEmulated: Bool { headers["x-push-emulator"] != nil }
}
