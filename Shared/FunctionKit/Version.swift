/// The version of the bundle, shown by `--version` of every executable.
package let bundleVersion = "0.1.0"
