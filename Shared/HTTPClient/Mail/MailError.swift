internal import CCurl

/// Why a server has not taken a mail.
package struct MailError: Error, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// It was not reached, said nothing in time, or asks to try again.
    case away
    /// It refuses the receiver or the message for good.
    case refused
    /// It refuses the sender or the login, cannot be trusted, or does not encrypt.
    case misconfigured
  }

  package let code: Code
  /// What happened, without addresses, for logs.
  package let description: String

  init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

  /// - Parameters:
  ///   - status: the server's last answer; 0 without one.
  ///   - said: libcurl's own sentence.
  init(_ result: CURLcode, status: Int, said: String) {
    code =
      switch result {
      case CURLE_LOGIN_DENIED, CURLE_USE_SSL_FAILED, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_ISSUER_ERROR, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
        .misconfigured
      case _ where said.hasPrefix("MAIL failed") && status >= 500: .misconfigured
      case _ where (500..<600).contains(status) && Self.isAboutMail(result, said): .refused
      default: .away
      }
    let answer = (200..<600).contains(status) ? "\(status): " : ""
    let text = said.isEmpty ? "the server does not take it" : said
    description =
      answer
      + text.utf8.prefix(200).reduce(into: "") { text, byte in
        text.unicodeScalars.append((0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : "?")
      }
  }

  /// Whether a server that refuses means this mail: one that refuses to speak at all may speak later.
  private static func isAboutMail(_ result: CURLcode, _ said: String) -> Bool {
    if ["RCPT failed", "DATA failed"].contains(where: said.hasPrefix) { return true }
    // So ends what is refused after it was sent.
    return result == CURLE_WEIRD_SERVER_REPLY && !said.hasPrefix("Got unexpected")
  }
}
