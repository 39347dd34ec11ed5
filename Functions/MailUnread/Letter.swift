import Formats
import FoundationEssentials
import Notifications

/// A mail as RFC 5322 has it, in the reader's language.
///
/// Every attempt to send it makes the same bytes, with the same `Message-ID`: a server or reader that gets it twice can
/// tell.
struct Letter {
  let text: String

  /// - Parameter unsubscribe: the link that ends such mails.
  init(_ row: MailUnread.Row, from sender: Sender, to address: String, of app: App, unsubscribe: String) {
    let language = Language(nearestTo: row.language)
    let words = Words.of(language)
    let reason = words("mail.reason", ["app": .value(app.profile.title)]).text
    let stop = words("mail.stop").text
    let id = row.notification.lowercased
    let boundary = "=_\(id)"
    var date = HTTPDate()
    let time = date.text(at: Int(row.notified.timeIntervalSince1970.rounded(.down)))
    let name = Self.field(sender.name, of: "From", isPhrase: true)
    let from = sender.name.isEmpty ? sender.address : "\(name)\r\n <\(sender.address)>"
    let head = [
      "Date: \(time.dropLast("GMT".count))+0000", "From: \(from)", "To: \(address)",
      "Subject: \(Self.field(row.title, of: "Subject"))", "Message-ID: <\(id)@\(sender.domain)>",
      "List-Unsubscribe: <\(unsubscribe)>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
      "Auto-Submitted: auto-generated", "Content-Language: \(language.tag)", "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
    ]
    let plain = ([row.title, row.body, row.link, "-- ", reason, "\(stop): \(unsubscribe)"] as [String?])
      .compactMap(\.self).filter { !$0.isEmpty }
      .flatMap { $0.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) }.joined(separator: "\r\n")
    let parts = [("plain", plain), ("html", Self.html(row, reason, stop, unsubscribe, language))]
    text =
      head.joined(separator: "\r\n") + "\r\n\r\n"
      + parts.map { type, text in
        "--\(boundary)\r\nContent-Type: text/\(type); charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
          + Self.lines(Data(text.utf8).base64EncodedString()) + "\r\n"
      }.joined() + "--\(boundary)--\r\n"
  }

  private static func html(
    _ row: MailUnread.Row, _ reason: String, _ stop: String, _ unsubscribe: String, _ language: Language
  ) -> String {
    // A link of an app's own scheme opens the app.
    let link = row.link.map { "<p><a href=\"\($0.escapedForHTML)\">\($0.escapedForHTML)</a></p>\r\n" } ?? ""
    return """
      <!DOCTYPE html>\r
      <html lang="\(language.tag)" dir="\(language.isRightToLeft ? "rtl" : "ltr")">\r
      <body>\r
      <h1 dir="auto">\(row.title.escapedForHTML)</h1>\r
      <p dir="auto">\(row.body.escapedForHTML)</p>\r
      \(link)<hr>\r
      <p>\(reason.escapedForHTML) <a href="\(unsubscribe.escapedForHTML)">\(stop.escapedForHTML)</a></p>\r
      </body>\r
      </html>\r

      """
  }

  /// Base64 in lines of 76 characters.
  private static func lines(_ base64: String) -> String {
    let bytes = Array(base64.utf8)
    return stride(from: 0, to: bytes.count, by: 76)
      .map { String(decoding: bytes[$0..<min($0 + 76, bytes.count)], as: UTF8.self) }.joined(separator: "\r\n")
  }

  /// A text for a header field: encoded words (RFC 2047) unless it is short and plain, so that it cannot end the field.
  /// - Parameters:
  ///   - name: the field's name.
  ///   - isPhrase: whether the text is a person's name, in which more characters have a meaning.
  private static func field(_ text: String, of name: String, isPhrase: Bool = false) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x20...0x7E).contains(byte) && !(isPhrase && "()<>[]:;@\\,.\"=?".utf8.contains(byte))
    }
    if isPlain, text.utf8.count <= 60, !text.hasPrefix(" "), !text.contains("=?") {
      return text
    }
    var (words, part) = ([String](), [UInt8]())
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar.properties.generalCategory == .control ? " " : scalar).utf8)
      // A line with an encoded word has at most 76 characters, and a word holds whole characters.
      let begin = words.isEmpty ? "\(name): ".utf8.count : 1
      if part.count + bytes.count > (76 - begin - Self.word([]).utf8.count) / 4 * 3 {
        words.append(word(part))
        part = []
      }
      part += bytes
    }
    return (words + [word(part)]).joined(separator: "\r\n ")
  }

  private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Data(bytes).base64EncodedString())?=" }
}
