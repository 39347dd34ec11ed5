import EventLoop
import Glibc
import Platform

/// Asks a proxy for a tunnel to a server; used on its loop only.
final class ProxyTunnel {
  /// The longest answer of a proxy that is accepted.
  private static let answerLimit = 16_384

  private let loop: EventLoop
  private let descriptor: Int32
  private var request: ArraySlice<UInt8>
  private var answer: [UInt8] = []
  private var timer: TimerID?
  private var completion: ((Result<Int32, HTTP2Error>) -> Void)?

  /// - Parameter socket: connected to the proxy.
  init(_ socket: consuming Socket, to endpoint: Endpoint, by proxy: Proxy, loop: EventLoop) {
    self.loop = loop
    descriptor = socket.release()
    let authorization = proxy.authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
    request = Array("CONNECT \(endpoint) HTTP/1.1\r\nHost: \(endpoint)\r\n\(authorization)\r\n".utf8)[...]
  }

  /// Returns the socket, which the caller then owns, when its other end is the server.
  func start(within limit: Duration, _ completion: @escaping (Result<Int32, HTTP2Error>) -> Void) {
    self.completion = completion
    timer = loop.schedule(after: limit) { [self] in finish(.timedOut(.tunneling)) }
    loop.watch(descriptor, for: .write) { [self] _ in request.isEmpty ? receive() : send() }
  }

  private func send() {
    let count = request.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard count >= 0 else { return failed(errno) }
    request = request.dropFirst(count)
    if request.isEmpty { loop.update(descriptor, to: .read) }
  }

  private func receive() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      guard count >= 0 else { return failed(errno) }
      guard count > 0 else { return finish(.proxyFailed(reason: "the proxy closed the connection")) }
      answer.append(contentsOf: buffer[..<count])
      review()
    }
  }

  /// Reads the proxy's answer when its head is complete.
  ///
  /// The server behind it sends nothing before the client does.
  private func review() {
    guard let end = answer.endOfHead else {
      if answer.count > Self.answerLimit { finish(.proxyFailed(reason: "the proxy's answer is too long")) }
      return
    }
    let line = answer.prefix { $0 != 0x0D && $0 != 0x0A }
    let words = line.split(separator: 0x20, maxSplits: 2).map { String(decoding: $0, as: UTF8.self) }
    guard words.count > 1, words[0].hasPrefix("HTTP/1."), words[1].count == 3, let status = Int(words[1]) else {
      return finish(.proxyFailed(reason: "the proxy does not answer by HTTP"))
    }
    guard (200..<300).contains(status) else {
      let answer = line.printable
      return finish((502...504).contains(status) ? .beyondProxy(answer: answer) : .proxyRefused(answer: answer))
    }
    guard end == answer.count else { return finish(.proxyFailed(reason: "the proxy sends more than an answer")) }
    finish(nil)
  }

  private func failed(_ error: Int32) {
    guard error != EAGAIN, error != EINTR else { return }
    finish(.proxyFailed(reason: systemMessage(error)))
  }

  private func finish(_ error: HTTP2Error?) {
    timer.take().map(loop.cancel)
    loop.unwatch(descriptor)
    if error != nil { close(descriptor) }
    completion.take()?(error.map { .failure($0) } ?? .success(descriptor))
  }
}

extension [UInt8] {
  /// The end of the empty line that ends an HTTP head.
  fileprivate var endOfHead: Int? {
    indices.first { end in
      self[end] == 0x0A && (self[..<end].suffix(3) == [0x0D, 0x0A, 0x0D] || self[..<end].last == 0x0A)
    }.map { $0 + 1 }
  }
}

extension ArraySlice<UInt8> {
  /// At most 100 harmless characters for a log.
  var printable: String {
    String(decoding: prefix(100).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }
}
