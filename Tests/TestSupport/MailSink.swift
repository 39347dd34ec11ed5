/// A server that takes mail by SMTP, of Python's own library; it reads what it gets as mail programs do.
package struct MailSink {
  private let program: RunningProgram
  private let port: UInt16

  /// - Parameter refusal: the command that it refuses, and its answer to that: `RCPT 550 no such person`.
  package init(refusing refusal: String = "") async throws {
    program = try RunningProgram("/usr/bin/python3", ["-W", "ignore", "-c", Self.script, refusal])
    let line = try await program.line { $0.hasPrefix("port ") }
    port = UInt16(line.dropFirst("port ".count)) ?? 0
  }

  package var url: String { "smtp://127.0.0.1:\(port)" }

  /// The mails that it has taken, as soon as there are so many: JSON objects with `from`, `to`, the `fields` of the header,
  /// `plain` and `html`.
  package func mails(_ count: Int) async throws -> [String] {
    _ = try await program.line { $0.hasPrefix("\(count) {") }
    return program.lines.filter { $0.contains(" {") }.map { String($0.drop { $0 != "{" }) }
  }

  /// How many mails it has taken until now.
  package var count: Int { program.lines.count { $0.contains(" {") } }

  private static let script = #"""
    import asyncore, email, email.policy, json, smtpd, sys
    command, _, answer = sys.argv[1].partition(" ")
    count = 0

    class Channel(smtpd.SMTPChannel):
        def smtp_MAIL(self, argument):
            self.push(answer) if command == "MAIL" else super().smtp_MAIL(argument)

        def smtp_RCPT(self, argument):
            self.push(answer) if command == "RCPT" else super().smtp_RCPT(argument)

    class Server(smtpd.SMTPServer):
        channel_class = Channel

        def process_message(self, peer, sender, recipients, data, **options):
            global count
            if command == "DATA":
                return answer
            count += 1
            mail = email.message_from_bytes(data, policy=email.policy.default)
            print(count, json.dumps({
                "from": sender, "to": recipients, "names": mail.keys(),
                "fields": {name: str(value) for name, value in mail.items()},
                "plain": mail.get_body(("plain",)).get_content(), "html": mail.get_body(("html",)).get_content(),
                "longest": max(len(line) for line in data.split(b"\n")), "defects": [str(d) for d in mail.defects],
            }), flush=True)

    server = Server(("127.0.0.1", 0), None)
    print("port", server.socket.getsockname()[1], flush=True)
    asyncore.loop()
    """#
}
