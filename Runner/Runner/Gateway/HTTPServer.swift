import CMicroHTTPD
import EventLoop
import Glibc

/// libmicrohttpd, driven by the runner's loop through its epoll descriptor: no thread of its own.
@RunnerLoop
final class HTTPServer {
  /// The largest body that is taken, in bytes.
  static let largestBody = 1 << 20
  /// Idle and slow connections end after so many seconds.
  static let idleTimeout: UInt32 = 30
  static let mostConnections: UInt32 = 4_096
  /// What a connection may use for the head of a request and of its answer, in bytes; cleared for every request.
  static let connectionMemory = 16_384

  private let route: @RunnerLoop (GatewayRequest, Bool, @escaping @RunnerLoop (GatewayAnswer) -> Void) -> Void
  private var daemon: OpaquePointer?
  private var open: [ObjectIdentifier: Exchange] = [:]
  private var timer: TimerID?
  private var isDue = false
  private var epoll: Int32 = -1
  private(set) var port: UInt16 = 0

  /// - Parameter route: answers a request by calling back once, now or later, on the loop; told also whether the body
  ///   was too large and is left out.
  init(route: @escaping @RunnerLoop (GatewayRequest, Bool, @escaping @RunnerLoop (GatewayAnswer) -> Void) -> Void) {
    self.route = route
  }

  /// Begins to listen.
  ///
  /// - Parameter port: 0 for any free one, which ``port`` then says.
  func start(host: String, port: UInt16) throws(ListenError) {
    let socket = try ListeningSocket.open(host: host, port: port)
    self.port = socket.port
    let context = Unmanaged.passUnretained(self).toOpaque()
    daemon = shim_start_daemon(
      socket.descriptor, { HTTPServer.received($0, $1, $2, $3, $4, $5, $6, $7) },
      { _, _, context, _ in HTTPServer.completed(context) }, context, Self.idleTimeout, Self.mostConnections,
      Self.connectionMemory)
    guard let daemon else {
      close(socket.descriptor)
      throw ListenError("The HTTP server could not be started.")
    }
    epoll = shim_epoll_descriptor(daemon)
    RunnerLoop.loop.watch(epoll, for: .read) { [self] _ in run() }
    run()
  }

  /// Takes no new connections; those that are open go on.
  func stopAccepting() {
    guard let daemon else { return }
    let socket = MHD_quiesce_daemon(daemon)
    if socket >= 0 { close(socket) }
  }

  /// How many requests are being worked on.
  var pending: Int { open.values.count { $0.isSuspended } }

  /// Ends every connection.
  ///
  /// The library does not allow it while requests rest, so they are answered first.
  func stop() {
    guard let daemon else { return }
    for exchange in open.values {
      _ = exchange.finish(GatewayAnswer(status: 503, body: Array("The runner is stopping.\n".utf8)))
    }
    MHD_run(daemon)
    if let timer { RunnerLoop.loop.cancel(timer) }
    RunnerLoop.loop.unwatch(epoll)
    MHD_stop_daemon(daemon)
    self.daemon = nil
    open = [:]
  }

  /// Lets the library work once, and again when it next has something to time.
  private func run() {
    guard let daemon else { return }
    MHD_run(daemon)
    if let timer { RunnerLoop.loop.cancel(timer) }
    timer = nil
    var milliseconds: UInt64 = 0
    guard MHD_get_timeout(daemon, &milliseconds) == MHD_Result.YES else { return }
    if milliseconds == 0 { return runSoon() }
    timer = RunnerLoop.loop.schedule(after: .milliseconds(Int64(min(milliseconds, 60_000)))) { [self] in
      timer = nil
      run()
    }
  }

  /// However many answers are finished in one turn of the loop, the library is run once for them.
  private func runSoon() {
    guard !isDue else { return }
    isDue = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      isDue = false
      run()
    }
  }

  private func begin(_ exchange: Exchange) -> UnsafeMutableRawPointer {
    open[ObjectIdentifier(exchange)] = exchange
    exchange.forget = { [self, unowned exchange] in open[ObjectIdentifier(exchange)] = nil }
    return Unmanaged.passUnretained(exchange).toOpaque()
  }

  private func dispatch(_ exchange: Exchange) -> MHD_Result {
    route(exchange.request, exchange.isTooLarge) { [self] answer in
      if exchange.finish(answer) { runSoon() }
    }
    if let result = exchange.queueAnswer() { return result }
    exchange.suspend()
    return MHD_Result.YES
  }
}

// The library's callbacks. It calls them only from `MHD_run`, that is, on the loop.
extension HTTPServer {
  private nonisolated static func received(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> MHD_Result {
    nonisolated(unsafe) let call = (context, connection, url, method, upload, uploadSize, state)
    return RunnerLoop.assumeOnLoop {
      guard let context = call.0, let connection = call.1, let url = call.2, let method = call.3,
        let uploadSize = call.5, let state = call.6
      else { return MHD_Result.NO }
      let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
      guard let known = state.pointee else {
        let request = GatewayRequest(
          method: String(cString: method), path: String(cString: url), headers: headers(of: connection))
        state.pointee = server.begin(Exchange(connection: connection, request: request))
        return MHD_Result.YES
      }
      let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
      if uploadSize.pointee > 0 {
        exchange.take(UnsafeRawBufferPointer(start: call.4, count: uploadSize.pointee))
        uploadSize.pointee = 0
        return MHD_Result.YES
      }
      return exchange.queueAnswer() ?? server.dispatch(exchange)
    }
  }

  private nonisolated static func completed(_ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) {
    nonisolated(unsafe) let state = state
    RunnerLoop.assumeOnLoop {
      guard let known = state?.pointee else { return }
      let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
      exchange.forget?()
      state?.pointee = nil
    }
  }

  private static func headers(of connection: OpaquePointer) -> [String: String] {
    var headers: [String: String] = [:]
    withUnsafeMutablePointer(to: &headers) { pointer in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name, let value else { return MHD_Result.YES }
          let headers = context.assumingMemoryBound(to: [String: String].self)
          let key = String(cString: name).lowercased()
          if headers.pointee[key] == nil { headers.pointee[key] = String(cString: value) }
          return MHD_Result.YES
        }, pointer)
    }
    return headers
  }
}
