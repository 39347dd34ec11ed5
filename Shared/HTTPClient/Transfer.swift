internal import CCurl

/// One call that libcurl carries out; it lives on one thread from beginning to end.
final class Transfer {
  typealias Completion = (Result<HTTPAnswer, HTTPClientError>) -> Void

  let order: TransferOrder
  let completion: Completion
  let easy: UnsafeMutableRawPointer
  var headers: [(name: String, value: String)] = []
  var headBytes = 0
  var body: [UInt8] = []
  var bodyBytes = 0
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let message: UnsafeMutablePointer<CChar>

  init(_ order: TransferOrder, completion: @escaping Completion) throws(HTTPClientError) {
    if let defect = order.defect {
      throw HTTPClientError(code: .invalidCall, host: order.host, detail: defect)
    }
    guard let easy = curl_easy_init() else {
      throw HTTPClientError(code: .exhausted, host: order.host, detail: "no handle")
    }
    self.order = order
    self.completion = completion
    self.easy = easy
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try configure()
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    message.deallocate()
  }

  func error(_ code: HTTPClientError.Code) -> HTTPClientError {
    HTTPClientError(
      code: code, host: order.host, detail: String(cString: message), isSent: shim_sent_bytes(easy) > 0)
  }

  func result(of code: CURLcode) -> Result<HTTPAnswer, HTTPClientError> {
    guard code == CURLE_OK else { return .failure(error(HTTPClientError.Code(code))) }
    var status = 0
    guard shim_response_status(easy, &status) == CURLE_OK, (200...599).contains(status) else {
      return .failure(error(.protocolViolation))
    }
    return .success(HTTPAnswer(status: status, headers: headers, body: body))
  }

  private func configure() throws(HTTPClientError) {
    let call = order.call
    try set(CURLOPT_ERRORBUFFER, pointer: message)
    try set(CURLOPT_URL, call.url)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    try set(CURLOPT_PIPEWAIT, 1)
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_CONNECTTIMEOUT_MS, order.limits.connect.wholeMilliseconds)
    try set(CURLOPT_TIMEOUT_MS, order.limits.total.wholeMilliseconds)
    if case .certificateAuthority(let path) = order.trust {
      try set(CURLOPT_CAINFO, path)
      try set(CURLOPT_CAPATH, nil)
    }
    if order.isLoopback { try set(CURLOPT_PROXY, "") }
    if let signature = call.signature {
      try set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
      try set(CURLOPT_USERNAME, signature.accessKey)
      try set(CURLOPT_PASSWORD, signature.secretKey)
    }
    try configureMethod(call)
    try configureHeaders(call)
    try configureCallbacks()
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
    // Otherwise libcurl adds a form's content type and `Expect`.
    let ownNames = call.headers.map { $0.name.lowercased() }
    let silenced = ["Content-Type", "Expect"].filter { !ownNames.contains($0.lowercased()) }.map { "\($0):" }
    for line in call.headers.map({ $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }) + silenced {
      guard let longer = curl_slist_append(headerList, line) else { throw error(.exhausted) }
      headerList = longer
    }
    try set(CURLOPT_HTTPHEADER, pointer: headerList)
  }

  private func set(_ option: CURLoption, _ value: Int) throws(HTTPClientError) {
    guard shim_set_long(easy, option, value) == CURLE_OK else { throw error(.exhausted) }
  }

  private func set(_ option: CURLoption, _ value: String?) throws(HTTPClientError) {
    guard shim_set_text(easy, option, value) == CURLE_OK else { throw error(.exhausted) }
  }

  func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(HTTPClientError) {
    guard shim_set_pointer(easy, option, value) == CURLE_OK else { throw error(.exhausted) }
  }
}

extension Duration {
  /// At least one, because 0 means "no limit" to libcurl.
  fileprivate var wholeMilliseconds: Int {
    let parts = components
    return max(1, Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000))
  }
}
