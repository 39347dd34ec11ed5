import HTTP2
import HTTPClient

extension HTTP2Error {
  /// Why there is no connection, as one line without secrets that names the proxy, if one leads there.
  func words(through proxy: Proxy?) -> String {
    guard let proxy else { return "\(self)" }
    return switch self {
    case .proxyUnreachable(let reason): "the proxy \(proxy) cannot be reached: \(reason)"
    case .beyondProxy(let answer): "the proxy \(proxy) cannot reach the server: \(answer)"
    case .proxyRefused(let answer): "the proxy \(proxy) refused: \(answer)"
    case .timedOut(.tunneling): "the proxy \(proxy) did not answer in time"
    case .unusableProxy: "\(self)"
    default: "\(self), through the proxy \(proxy)"
    }
  }
}

extension HTTPClientError {
  /// Why there is no answer, as one line without secrets that names the proxy, if one leads there.
  func words(through proxy: Proxy?) -> String {
    // It says what a proxy has answered.
    guard let proxy else { return String(reflecting: self) }
    let cause = detail.isEmpty ? "" : ": \(detail)"
    return switch code {
    case .proxyUnreachable: "the proxy \(proxy) cannot be reached\(cause)"
    case .proxyRefused: "the proxy \(proxy) refused\(cause)"
    case .beyondProxy: "the proxy \(proxy) cannot reach \(host)\(cause)"
    default: "\(String(reflecting: self)), through the proxy \(proxy)"
    }
  }
}
