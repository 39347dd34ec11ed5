internal import CCurl
import Platform

/// A server that takes mail by SMTP, over libcurl.
///
/// Each mail has a connection of its own. Without TLS from the beginning (`smtps`), it has to begin with STARTTLS before
/// anything else is said, unless the server is on this machine. Certificate and host name are always verified.
package struct MailServer: Sendable {
  private let url: String
  private let login: (user: String, password: String)?
  private let trust: HTTPTrust
  private let limits: HTTPLimits
  /// A server may examine a text for minutes before it says that it has taken it; who does not wait sends it again.
  package static let limits = HTTPLimits(connect: .seconds(10), total: .seconds(840))
  /// The longest silence, in seconds, as RFC 5321 has it for the end of a text.
  private static let silence = 600

  /// - Parameters:
  ///   - url: such as `smtp://mail.example.com:587` or `smtps://mail.example.com`, without user and password.
  ///   - login: `nil` for a server that asks for none.
  /// - Returns: `nil` for any other URL.
  package init?(
    _ url: String, login: (user: String, password: String)?, trust: HTTPTrust = .system,
    limits: HTTPLimits = Self.limits
  ) {
    guard let scheme = ["smtp://", "smtps://"].first(where: url.hasPrefix) else { return nil }
    let place = url.dropFirst(scheme.utf8.count)
    guard Self.isHostAndPort(place), place.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"@/?#\\".utf8.contains($0) })
    else { return nil }
    (self.url, self.login, self.trust, self.limits) = (url, login, trust, limits)
  }

  /// The port may be missing; a literal IPv6 address has brackets.
  private static func isHostAndPort(_ place: Substring) -> Bool {
    let rest = place[(place.lastIndex(of: "]") ?? place.startIndex)...]
    guard let colon = rest.firstIndex(of: ":") else { return !place.isEmpty }
    let port = place[place.index(after: colon)...]
    return colon > place.startIndex && !port.hasPrefix("+") && UInt16(port).map { $0 > 0 } ?? false
  }

  /// Sends a mail, and waits until the server has taken it.
  package func send(_ mail: Mail) async throws(MailError) {
    let result: Result<Void, MailError> = await withCheckedContinuation { continuation in
      let hasStarted = BackgroundThread.start {
        continuation.resume(returning: Result { () throws(MailError) in try carry(mail) })
      }
      if !hasStarted { continuation.resume(returning: .failure(MailError(.away, "there is no thread for it"))) }
    }
    try result.get()
  }

  /// Whether a URL is that of a server on this machine, to which nobody listens in.
  static func isOnThisMachine(_ url: String) -> Bool {
    let host = url.dropFirst(url.hasPrefix("smtps://") ? 8 : 7)
    return ["127.0.0.1", "[::1]", "localhost"].contains { host == $0 || host.hasPrefix("\($0):") }
  }

  private func carry(_ mail: Mail) throws(MailError) {
    guard let easy = curl_easy_init() else { throw MailError(.away, "there is no handle for it") }
    let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    let receivers = curl_slist_append(nil, mail.receiver)
    let replies = MailReplies()
    defer {
      curl_easy_cleanup(easy)
      curl_slist_free_all(receivers)
      message.deallocate()
    }
    let code = mail.text.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        var upload = shim_upload(bytes: bytes.baseAddress, count: bytes.count)
        return withUnsafeMutablePointer(to: &upload) { upload in
          let isReady =
            receivers != nil && configure(easy, from: mail.sender) && replies.follow(easy)
            && shim_set_pointer(easy, CURLOPT_ERRORBUFFER, message) == CURLE_OK
            && shim_set_pointer(easy, CURLOPT_MAIL_RCPT, receivers) == CURLE_OK
            && shim_set_upload(easy, upload) == CURLE_OK
          return isReady ? curl_easy_perform(easy) : CURLE_OUT_OF_MEMORY
        }
      }
    }
    let last = withExtendedLifetime(replies) { replies.last }
    guard code != CURLE_OK else { return }
    throw MailError(code, last, said: String(cString: message))
  }

  private func configure(_ easy: UnsafeMutableRawPointer, from sender: String) -> Bool {
    var options: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      (CURLOPT_CONNECTTIMEOUT_MS, limits.connect.wholeMilliseconds),
      (CURLOPT_TIMEOUT_MS, limits.total.wholeMilliseconds), (CURLOPT_SERVER_RESPONSE_TIMEOUT, Self.silence),
    ]
    if !Self.isOnThisMachine(url) { options.append((CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))) }
    var texts: [(CURLoption, String?)] = [
      (CURLOPT_PROTOCOLS_STR, "smtp,smtps"), (CURLOPT_PROXY, ""), (CURLOPT_URL, url), (CURLOPT_MAIL_FROM, sender),
    ]
    if let login { texts += [(CURLOPT_USERNAME, login.user), (CURLOPT_PASSWORD, login.password)] }
    if case .certificateAuthority(let path) = trust { texts += [(CURLOPT_CAINFO, path), (CURLOPT_CAPATH, nil)] }
    return options.allSatisfy { shim_set_long(easy, $0, $1) == CURLE_OK }
      && texts.allSatisfy { shim_set_text(easy, $0, $1) == CURLE_OK } && shim_keep_sockets(easy) == CURLE_OK
  }
}

/// The replies of a server to one mail.
private final class MailReplies {
  /// The last reply, apart from the good-bye.
  private(set) var last: MailReply?

  /// Takes everything that the server says; nothing of it is for standard output.
  ///
  /// The handle does not retain this.
  func follow(_ easy: UnsafeMutableRawPointer) -> Bool {
    let body = shim_set_writer(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
    let header = shim_set_writer(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, replies in
      if let bytes, let replies {
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        Unmanaged<MailReplies>.fromOpaque(replies).takeUnretainedValue().take(String(decoding: line, as: UTF8.self))
      }
      return size * count
    }
    return body == CURLE_OK && header == CURLE_OK
      && shim_set_pointer(easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque()) == CURLE_OK
  }

  private func take(_ line: String) {
    if !line.hasPrefix("221"), let reply = MailReply(line) { last = reply }
  }
}

/// A mail with its envelope.
package struct Mail: Sendable {
  /// The address that the server is told it is from.
  package let sender: String
  let receiver: String
  /// Header and body as RFC 5322 has them, with CR LF.
  package let text: [UInt8]

  /// - Returns: `nil` if an address could end its command, or is none.
  package init?(from sender: String, to receiver: String, _ text: [UInt8]) {
    guard [sender, receiver].allSatisfy(Self.isAddress) else { return nil }
    (self.sender, self.receiver, self.text) = (sender, receiver, text)
  }

  /// Whether a text is an address in ASCII that needs no quotes.
  package static func isAddress(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>()[],;:\\\"".utf8.contains($0) }
  }
}
