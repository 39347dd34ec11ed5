/// The error codes of RFC 9113 §7 by their names.
enum StreamErrorCode: UInt32, CaseIterable {
  case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed, frameSizeError
  case refusedStream, cancel, compressionError, connectError, enhanceYourCalm, inadequateSecurity, http11Required

  /// The name in the RFC, such as `REFUSED_STREAM`.
  init?(name: String) {
    guard let code = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = code
  }

  var name: String {
    if self == .http11Required { return "HTTP_1_1_REQUIRED" }
    return "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
  }
}
