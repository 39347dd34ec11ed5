/// The version of the bundle, shown by `--version` of every executable.
public let bundleVersion = "0.1.0"
