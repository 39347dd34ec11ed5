import HTTP1
import Manifest

extension HTTP1Answer {
  /// The same answer, by which a browser takes the console and other functions for another site.
  ///
  /// The console has the same address as the functions: a script of a page from there would have what an operator has. A
  /// policy of the function's own counts besides, and loosens nothing.
  ///
  /// Source: https://www.w3.org/TR/CSP3/#directive-sandbox
  func confined(to pages: HTTPTrigger.Pages) -> HTTP1Answer {
    let sandbox: String
    switch pages {
    case .still: sandbox = "sandbox"
    // Without scripts it reads no token of the console, and its forms say where they come from.
    case .forms: sandbox = "sandbox allow-forms allow-same-origin"
    case .trusted: return self
    }
    var answer = self
    answer.headers.removeAll { $0.0.lowercased() == "x-content-type-options" }
    return answer.with("Content-Security-Policy", sandbox).with("X-Content-Type-Options", "nosniff")
  }
}
