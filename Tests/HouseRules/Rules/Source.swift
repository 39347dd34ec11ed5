/// A Swift file, read by its indentation: `swift format` indents what stands in a scope by two, and the lint sees to it.
struct Source {
  let path: String
  private(set) var lines = 0
  private(set) var symbols: [Symbol] = []
  /// The names that functions and closures give.
  private(set) var locals: Set<Substring> = []

  /// The types and functions whose bodies have not ended, by their places in `symbols`.
  private var open: [Int] = []
  /// The last symbol if its head may go on in further lines, with the lines so far.
  private var head: String?
  /// Whether a string of several lines has not ended.
  private var isInString = false

  init(_ path: String) throws { self.init(path, text: try House.text(path)) }

  init(_ path: String, text: String) {
    self.path = path
    for line in text.lines { take(line) }
    endHead()
    for symbol in open { symbols[symbol].lastLine = lines }
  }

  /// The name of a type or extension with the types around it, such as `HTTP2Client.State`.
  func name(of symbol: Symbol) -> String {
    let name = symbol.names.first.map { String($0) } ?? ""
    return symbol.owner.map { "\(self.name(of: symbols[$0])).\(name)" } ?? name
  }

  private mutating func take(_ line: Substring) {
    lines += 1
    let wasInString = isInString
    if line.has("\"\"\""), line.ranges(of: "\"\"\"").count % 2 == 1 { isInString.toggle() }
    let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
    guard !wasInString, let code = Self.code(line.dropFirst(indentation)), let first = code.first else { return }
    if goesOn(code, first, indentation) { return }
    endHead()
    while let last = open.last, symbols[last].indentation >= indentation {
      symbols[last].lastLine = ")]}".contains(first) ? lines : lines - 1
      open.removeLast()
    }
    let owner = open.last.map { symbols[$0] }
    let isMember = owner.map { $0.isType && indentation == $0.indentation + 2 } ?? (indentation == 0)
    guard isMember, let symbol = Symbol(code, indentation: indentation, line: lines, owner: open.last) else {
      if let last = open.last, code.hasPrefix("didSet") || code.hasPrefix("willSet") { symbols[last].isStored = true }
      noteLocals(code)
      return
    }
    symbols.append(symbol)
    head = String(symbol.rest)
    if code.hasSuffix("{") { beginBody() }
  }

  /// Whether a line belongs to the head of the last symbol: it stands deeper, or closes the head's parentheses.
  private mutating func goesOn(_ code: Substring, _ first: Character, _ indentation: Int) -> Bool {
    guard let head, let last = symbols.last else { return false }
    guard indentation > last.indentation || (indentation == last.indentation && ")]{".contains(first)) else {
      return false
    }
    self.head = "\(head) \(code)"
    symbols[symbols.count - 1].lastLine = lines
    if indentation == last.indentation, code.hasSuffix("{") { beginBody() }
    return true
  }

  private mutating func beginBody() {
    endHead()
    open.append(symbols.count - 1)
  }

  private mutating func endHead() {
    if let head { symbols[symbols.count - 1].complete(with: head[...]) }
    head = nil
  }

  private mutating func noteLocals(_ code: Substring) {
    guard code.has("let ") || code.has("var ") || code.has("func ") else { return }
    let words = code.words
    for (before, next) in zip(words, words.dropFirst()) where next.gap == " " || next.gap == " `" {
      if ["let", "var", "func"].contains(before.word) { locals.insert(next.word) }
    }
    for tuple in code.parentheses(after: "let ") + code.parentheses(after: "var ") {
      locals.formUnion(tuple.words.map(\.word).filter { !$0.isEmpty })
    }
  }

  /// A line without what stands in quotation marks, and without its comment; nil if nothing is left.
  private static func code(_ line: Substring) -> Substring? {
    guard !line.hasPrefix("//") else { return nil }
    guard line.has("\"") || line.has("//") else { return line.isEmpty ? nil : line }
    var (code, isQuoted, isEscaped, last) = ([UInt8](), false, false, UInt8(0))
    for byte in line.utf8 {
      if !isQuoted, byte == UInt8(ascii: "/"), last == byte {
        code.removeLast()
        break
      }
      if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
      if !isQuoted { code.append(byte) }
      isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
      last = byte
    }
    while code.last == UInt8(ascii: " ") { code.removeLast() }
    return code.isEmpty ? nil : Substring(String(decoding: code, as: UTF8.self))
  }
}
