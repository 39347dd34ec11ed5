internal import CCurl

/// Why a server has not taken a mail.
package struct MailError: Error, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// It was not reached, said nothing in time, asks to try again, or refuses the text or for a reason that is not known.
    case away
    /// It refuses the receiver for good.
    case refused
    /// It refuses every mail to the receiver, because there is no such mailbox.
    case noMailbox
    /// It refuses the sender or the login, cannot be trusted, or does not encrypt.
    case misconfigured
  }

  package let code: Code
  /// The failure without addresses, for logs.
  package let description: String

  init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

  /// - Parameters:
  ///   - reply: what the server said last; `nil` if it said nothing.
  ///   - said: libcurl's own sentence.
  init(_ result: CURLcode, _ reply: MailReply?, said: String) {
    let refusal: Code = reply?.isAboutNoMailbox == true ? .noMailbox : .refused
    code =
      switch result {
      case _ where reply?.isTemporary == true: .away
      case CURLE_LOGIN_DENIED, CURLE_USE_SSL_FAILED, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_ISSUER_ERROR, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
        .misconfigured
      case _ where said.hasPrefix("MAIL failed") && reply?.isFinal == true: .misconfigured
      // Many servers say only here what they think of the sender.
      case _ where ["RCPT failed", "DATA failed"].contains(where: said.hasPrefix):
        reply?.isAboutReceiver == true ? refusal : reply?.isAboutSender == true ? .misconfigured : .away
      // So ends what is refused after it was sent.
      case CURLE_WEIRD_SERVER_REPLY where reply?.isAboutReceiver == true && !said.hasPrefix("Got unexpected"): refusal
      default: .away
      }
    let text = said.isEmpty ? "the server does not take it" : said
    description =
      (reply.map { "\($0): " } ?? "")
      + text.utf8.prefix(200).reduce(into: "") { text, byte in
        text.unicodeScalars.append((0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : "?")
      }
  }
}

/// A server's reply: its code (RFC 5321), and the enhanced one (RFC 3463) if it has any.
struct MailReply: CustomStringConvertible {
  private let code: Int
  /// Such as 5, 1 and 1 of `5.1.1`; empty without an enhanced code.
  private let enhanced: [Int]

  /// - Parameter line: such as `550 5.1.1 no such person`.
  /// - Returns: `nil` if it is no reply.
  init?(_ line: String) {
    guard let code = Int(line.prefix(3)), (200..<600).contains(code) else { return nil }
    self.code = code
    let word = line.dropFirst(4).split(separator: " ", omittingEmptySubsequences: false).first ?? ""
    let numbers = word.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
    enhanced = numbers.count == 3 && numbers[0] == code / 100 ? numbers : []
  }

  var description: String { ([String(code)] + (enhanced.isEmpty ? [] : [word])).joined(separator: " ") }
  private var word: String { enhanced.map(String.init).joined(separator: ".") }

  var isTemporary: Bool { (400..<500).contains(code) }
  var isFinal: Bool { code >= 500 }

  /// Whether it says for good that the mailbox of the receiver is not there or takes nothing.
  ///
  /// Without an enhanced code, 550 is also what servers say to a sender whom they do not know.
  var isAboutReceiver: Bool {
    ((550...553).contains(code) || code == 556) && !enhanced.isEmpty && (1...2).contains(enhanced[1]) && !isAboutSender
  }

  /// Whether it says that the receiver's mailbox is not there (5.1.1), nor any of its domain (5.1.10).
  ///
  /// One that takes nothing (5.2.1) may take mails again: Gmail says so of a mailbox that gets too many at a time, too.
  var isAboutNoMailbox: Bool { isAboutReceiver && ["5.1.1", "5.1.10"].contains(word) }

  /// Whether it says for good that the server takes nothing from this sender or login.
  var isAboutSender: Bool {
    guard isFinal else { return false }
    if [530, 535].contains(code) || enhanced.isEmpty { return [530, 535, 554].contains(code) }
    return enhanced[1] == 7 || ["5.1.7", "5.1.8"].contains(word)
  }
}
