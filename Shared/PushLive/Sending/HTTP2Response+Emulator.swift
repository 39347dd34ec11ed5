import HTTP2

extension HTTP2Response {
  /// Whether the response has the field of a push emulator.
  var isEmulated: Bool { headers["x-push-emulator"] != nil }
}
