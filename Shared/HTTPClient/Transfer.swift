internal import CCurl
import Glibc

/// One call that libcurl carries out, and after it others of the same kind; it lives on one thread.
final class Transfer {
  typealias Completion = (Result<HTTPAnswer, HTTPClientError>) -> Void

  private(set) var order: TransferOrder
  private(set) var completion: Completion
  let easy: UnsafeMutableRawPointer
  private var head: [UInt8] = []
  private var headBytes = 0
  private var body: [UInt8] = []
  private var bodyBytes = 0
  /// Shared with other transfers; what this one has of it.
  private let memory: AnswerMemory
  private var memoryTaken = 0
  private var hasRunOut = false
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var proxyHeaderList: UnsafeMutablePointer<curl_slist>?
  private let message: UnsafeMutablePointer<CChar>

  /// - Parameter memory: what all transfers of a client may keep of bodies together.
  init(
    _ order: TransferOrder, memory: AnswerMemory, completion: @escaping Completion
  ) throws(HTTPClientError) {
    if let defect = order.defect {
      throw HTTPClientError(code: .invalidCall, host: order.host, detail: defect)
    }
    guard let easy = curl_easy_init() else {
      throw HTTPClientError(code: .exhausted, host: order.host, detail: "no handle")
    }
    self.order = order
    self.completion = completion
    self.memory = memory
    self.easy = easy
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try configure()
  }

  /// Forgets a call that has ended, and what it was answered.
  func forget() {
    completion = { _ in }
    (head, headBytes, body, bodyBytes, hasRunOut) = ([], 0, [], 0, false)
    memory.give(memoryTaken)
    memoryTaken = 0
  }

  /// Carries another call, which takes less time than with a new handle.
  func carry(_ order: TransferOrder, completion: @escaping Completion) throws(HTTPClientError) {
    if let defect = order.defect { throw HTTPClientError(code: .invalidCall, host: order.host, detail: defect) }
    (self.order, self.completion) = (order, completion)
    // libcurl sends a request again whose kept connection has ended, five times at most, and otherwise counts on from
    // one call of a handle to the next: https://github.com/curl/curl/pull/19066
    curl_easy_reset(easy)
    message[0] = 0
    try configure()
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    curl_slist_free_all(proxyHeaderList)
    message.deallocate()
    memory.give(memoryTaken)
  }

  func error(_ code: HTTPClientError.Code) -> HTTPClientError {
    HTTPClientError(
      code: code, host: order.host, detail: String(cString: message), isSent: shim_sent_bytes(easy) > 0)
  }

  func result(of code: CURLcode) -> Result<HTTPAnswer, HTTPClientError> {
    if hasRunOut { return .failure(error(.exhausted)) }
    var status = 0
    let isAnswered = shim_response_status(easy, &status) == CURLE_OK && (200...599).contains(status)
    guard code == CURLE_OK else {
      if let failure = proxyFailure(code) { return .failure(failure) }
      var failure = error(HTTPClientError.Code(code))
      if isAnswered, failure.code == .tooLarge { failure.answer = HTTPAnswer(status: status, head: head, body: []) }
      return .failure(failure)
    }
    guard isAnswered else { return .failure(error(.protocolViolation)) }
    return .success(HTTPAnswer(status: status, head: head, body: body))
  }

  /// Why there is no tunnel; `nil` if a proxy is not to blame.
  private func proxyFailure(_ code: CURLcode) -> HTTPClientError? {
    let status = shim_connect_status(easy)
    if status != 0, !(200..<300).contains(status) {
      // The head is the proxy's, because no other came after it.
      let line = head.prefix { $0 != 0x0D && $0 != 0x0A }.prefix(100).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }
      return HTTPClientError(
        code: (502...504).contains(status) ? .beyondProxy : .proxyRefused, host: order.host,
        detail: String(decoding: line, as: UTF8.self))
    }
    guard code == CURLE_COULDNT_CONNECT, !order.place.isLoopback, case .server = order.proxy else { return nil }
    return error(.proxyUnreachable)
  }

  private func configure() throws(HTTPClientError) {
    let call = order.call
    try set(CURLOPT_ERRORBUFFER, pointer: message)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Without TLS no connection takes several calls, and libcurl would wait for the first answer to know that.
    if call.url.hasPrefix("https://") { try set(CURLOPT_PIPEWAIT, 1) }
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    switch order.trust {
    case .system:
      // Only the program curl knows this variable of OpenSSL; the library goes by what Debian has built into it.
      if let file = getenv("SSL_CERT_FILE"), file.pointee != 0 { try set(CURLOPT_CAINFO, String(cString: file)) }
    case .certificateAuthority(let path):
      try set(CURLOPT_CAINFO, path)
      try set(CURLOPT_CAPATH, nil)
    }
    try configureProxy()
    if let signature = call.signature {
      try set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
      try set(CURLOPT_USERNAME, signature.accessKey)
      try set(CURLOPT_PASSWORD, signature.secretKey)
    }
    try set(CURLOPT_URL, call.url)
    try set(CURLOPT_CONNECTTIMEOUT_MS, order.limits.connect.wholeMilliseconds)
    try set(CURLOPT_TIMEOUT_MS, order.limits.total.wholeMilliseconds)
    try configureMethod(call)
    try configureHeaders(call)
    try configureCallbacks()
  }

  private func configureProxy() throws(HTTPClientError) {
    switch order.proxy {
    case _ where order.place.isLoopback, .direct: try set(CURLOPT_PROXY, "")
    case .environment: break
    case .server(_, _, let authorization):
      try set(CURLOPT_PROXY, "http://\(order.proxy)")
      // Otherwise libcurl looks into the environment for exceptions.
      try set(CURLOPT_NOPROXY, "")
      curl_slist_free_all(proxyHeaderList)
      proxyHeaderList = nil
      guard let authorization else { return }
      // libcurl percent-decodes a user and password that it is given, and again when it repeats a request.
      try append(Array("Proxy-Authorization: \(authorization)\0".utf8), to: &proxyHeaderList)
      try set(CURLOPT_PROXYHEADER, pointer: proxyHeaderList)
    }
  }

  private func configureMethod(_ call: HTTPCall) throws(HTTPClientError) {
    switch call.method {
    case .get where call.body.isEmpty: try set(CURLOPT_HTTPGET, 1)
    case .head: try set(CURLOPT_NOBODY, 1)
    default:
      guard call.body.withUnsafeBytes({ shim_set_body(easy, $0.baseAddress, $0.count) }) == CURLE_OK
      else { throw error(.exhausted) }
      try set(CURLOPT_CUSTOMREQUEST, call.method.rawValue)
    }
  }

  private func configureHeaders(_ call: HTTPCall) throws(HTTPClientError) {
    curl_slist_free_all(headerList)
    headerList = nil
    var line: [UInt8] = []
    // Otherwise libcurl adds a form's content type and `Expect`.
    var silenced = ["Content-Type", "Expect"]
    for (name, value) in call.headers {
      silenced.removeAll { $0.utf8.count == name.utf8.count && $0.lowercased() == name.lowercased() }
      line.removeAll(keepingCapacity: true)
      line += name.utf8
      line += (value.isEmpty ? ";" : ": ").utf8
      line += value.utf8
      line.append(0)
      try append(line, to: &headerList)
    }
    for name in silenced { try append(Array("\(name):\0".utf8), to: &headerList) }
    try set(CURLOPT_HTTPHEADER, pointer: headerList)
  }

  /// - Parameter line: a field, and a zero.
  private func append(
    _ line: [UInt8], to list: inout UnsafeMutablePointer<curl_slist>?
  ) throws(HTTPClientError) {
    let longer = line.withUnsafeBytes { curl_slist_append(list, $0.bindMemory(to: CChar.self).baseAddress) }
    guard let longer else { throw error(.exhausted) }
    list = longer
  }

  private func set(_ option: CURLoption, _ value: Int) throws(HTTPClientError) {
    guard shim_set_long(easy, option, value) == CURLE_OK else { throw error(.exhausted) }
  }

  private func set(_ option: CURLoption, _ value: String?) throws(HTTPClientError) {
    guard shim_set_text(easy, option, value) == CURLE_OK else { throw error(.exhausted) }
  }

  private func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(HTTPClientError) {
    guard shim_set_pointer(easy, option, value) == CURLE_OK else { throw error(.exhausted) }
  }

  private func configureCallbacks() throws(HTTPClientError) {
    // Unretained: the handle that holds this pointer is freed in deinit.
    let transfer = Unmanaged.passUnretained(self).toOpaque()
    try set(CURLOPT_WRITEDATA, pointer: transfer)
    try set(CURLOPT_HEADERDATA, pointer: transfer)
    let body = shim_set_writer(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, transfer in
      Transfer.from(transfer)?.receive(body: UnsafeRawBufferPointer(start: bytes, count: count)) ?? 0
    }
    let header = shim_set_writer(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, transfer in
      Transfer.from(transfer)?.receive(header: UnsafeRawBufferPointer(start: bytes, count: count)) ?? 0
    }
    guard body == CURLE_OK, header == CURLE_OK, shim_keep_sockets(easy) == CURLE_OK else { throw error(.exhausted) }
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
    pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// If it takes fewer bytes than offered, libcurl ends the transfer with `CURLE_WRITE_ERROR`.
  private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    bodyBytes += bytes.count
    guard bodyBytes <= order.limits.body else { return 0 }
    let wanted = min(bytes.count, order.limits.kept - body.count)
    guard takeMemory(wanted) else {
      // A beginning may be shorter.
      hasRunOut = order.limits.kept >= order.limits.body
      return hasRunOut ? 0 : bytes.count
    }
    body += bytes.prefix(wanted)
    return bytes.count
  }

  private func takeMemory(_ count: Int) -> Bool {
    guard memory.take(count) else { return false }
    memoryTaken += count
    return true
  }

  private func receive(header bytes: UnsafeRawBufferPointer) -> Int {
    headBytes += bytes.count
    guard headBytes <= HTTPLimits.head else { return 0 }
    // An interim answer, or a proxy's, may come first.
    if bytes.starts(with: "HTTP/".utf8) { head.removeAll(keepingCapacity: true) }
    head += bytes
    return bytes.count
  }
}

extension Duration {
  /// At least one, because 0 means "no limit" to libcurl.
  var wholeMilliseconds: Int {
    let parts = components
    return max(1, Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000))
  }
}
