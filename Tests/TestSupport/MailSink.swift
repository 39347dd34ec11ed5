/// A server that takes mail by SMTP; it reads what it gets as mail programs do, with Python's library for mail.
package struct MailSink {
  /// How it is spoken to.
  package enum Security: String {
    /// In plain text, at 127.0.0.1.
    case none
    /// In plain text at 127.0.0.2, as if it were another machine.
    case elsewhere
    /// There, after STARTTLS.
    case startTLS
    /// There, with TLS from the beginning.
    case tls
  }

  private let program: RunningProgram
  private let port: UInt16
  private let security: Security
  private let folder: TemporaryDirectory

  /// - Parameters:
  ///   - refusal: the command that it refuses, and its answer to that: `RCPT 550 5.1.1 no such person`. `TEXT` is the end
  ///     of the text.
  ///   - login: whom it takes mail of, as `user:password`; empty for everybody.
  package init(refusing refusal: String = "", _ security: Security = .none, login: String = "") async throws {
    (self.security, folder) = (security, try TemporaryDirectory())
    if [.startTLS, .tls].contains(security) {
      let made = try await BuiltExecutables.run(
        "/usr/bin/openssl",
        [
          "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=mail", "-addext",
          "subjectAltName=IP:127.0.0.2", "-keyout", "\(folder.path)/key.pem", "-out", "\(folder.path)/certificate.pem",
        ], environment: ["HOME": folder.path])
      guard made.exit == 0 else { throw ProgramFailure(description: made.stderr) }
    }
    program = try RunningProgram(
      "/usr/bin/python3", ["-c", Self.script, refusal, security.rawValue, Self.host(security), folder.path, login])
    let line = try await program.line { $0.hasPrefix("port ") }
    port = UInt16(line.dropFirst("port ".count)) ?? 0
  }

  private static func host(_ security: Security) -> String { security == .none ? "127.0.0.1" : "127.0.0.2" }

  package var url: String { "\(security == .tls ? "smtps" : "smtp")://\(Self.host(security)):\(port)" }

  /// The file with the authority that vouches for it, where it speaks TLS.
  package var authority: String { "\(folder.path)/certificate.pem" }

  /// Waits until it has taken a number of mails, and returns them as JSON objects with `from`, `to`, the `fields` of the
  /// header, `plain` and `html`.
  package func mails(_ count: Int) async throws -> [String] {
    _ = try await program.line { $0.hasPrefix("\(count) {") }
    return program.lines.filter { $0.contains(" {") }.map { String($0.drop { $0 != "{" }) }
  }

  /// How many mails it has taken until now.
  package var count: Int { program.lines.count { $0.contains(" {") } }

  private static let script = #"""
    import base64, email, email.policy, json, socketserver, ssl, sys, threading
    refusal, security, host, folder, login = sys.argv[1:]
    refused, _, answer = refusal.partition(" ")
    count, lock = 0, threading.Lock()
    context = None
    if security in ("startTLS", "tls"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/certificate.pem", folder + "/key.pem")

    def take(sender, receivers, data):
        global count
        mail = email.message_from_bytes(data, policy=email.policy.default)
        text = mail.get_body(("plain",)) or mail
        with lock:
            count += 1
            print(count, json.dumps({
                "from": sender, "to": receivers, "names": mail.keys(),
                "fields": {name: str(value) for name, value in mail.items()},
                "plain": text.get_content(), "html": (mail.get_body(("html",)) or text).get_content(),
                "bare": b"\n" in text.get_payload(decode=True).replace(b"\r\n", b""),
                "longest": max(len(line) for line in data.split(b"\r\n")),
                "coded": max([len(line) for line in data.split(b"\r\n") if b"=?utf-8?" in line] or [0]),
                "defects": [str(defect) for defect in mail.defects],
            }), flush=True)

    class Session(socketserver.StreamRequestHandler):
        def say(self, *lines):
            self.wfile.write("".join(line + "\r\n" for line in lines).encode())
            self.wfile.flush()

        def line(self):
            return self.rfile.readline().decode().rstrip("\r\n")

        def encrypt(self):
            self.request = context.wrap_socket(self.request, server_side=True)
            self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb")
            self.encrypted = True

        def handle(self):
            self.encrypted, self.known = False, not login
            self.sender, self.receivers = None, []
            if security == "tls":
                self.encrypt()
            self.say(answer if refused == "GREETING" else "220 sink")
            while line := self.line():
                command = line.split(" ")[0].upper()
                if command == refused:
                    self.say(answer)
                elif command == "QUIT":
                    return self.say("221 2.0.0 bye")
                else:
                    getattr(self, command, self.unknown)(line)

        def unknown(self, line):
            self.say("500 5.5.1 what?")

        def EHLO(self, line):
            can_encrypt = context and not self.encrypted
            self.say("250-sink", *["250-STARTTLS"] * bool(can_encrypt), *["250-AUTH PLAIN"] * bool(login), "250 8BITMIME")

        def STARTTLS(self, line):
            self.say("220 2.0.0 go")
            self.encrypt()

        def AUTH(self, line):
            words = line.split(" ")
            if len(words) < 3:
                self.say("334 ")
                words.append(self.line())
            self.known = base64.b64decode(words[2]).decode().split("\0")[1:] == login.split(":")
            self.say("235 2.7.0 yes" if self.known else "535 5.7.8 no")

        def MAIL(self, line):
            self.sender = line.split("<")[1].split(">")[0]
            self.say("250 2.1.0 yes" if self.known else "530 5.7.0 Authentication required")

        def RCPT(self, line):
            self.receivers.append(line.split("<")[1].split(">")[0])
            self.say("250 2.1.5 yes")

        def DATA(self, line):
            self.say("354 go on")
            lines = []
            while (text := self.rfile.readline()) not in (b".\r\n", b""):
                lines.append(text[1:] if text.startswith(b".") else text)
            if refused == "TEXT":
                return self.say(answer)
            take(self.sender, self.receivers, b"".join(lines))
            self.say("250 2.0.0 taken")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, request, address):
            pass  # Clients hang up.

    server = Server((host, 0), Session)
    print("port", server.server_address[1], flush=True)
    server.serve_forever()
    """#
}
