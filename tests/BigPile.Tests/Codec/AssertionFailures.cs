using System;
using System.Diagnostics;

namespace BigPile.Tests.Codec;

/// <summary>Remembers that an assertion failed on this thread.</summary>
/// <remarks>
/// The test host throws at a failed assertion. The codec reports whatever is thrown while it reads as bytes that it can't read, which is
/// what tests of damaged bytes expect. So these would find no assertion without this.
/// </remarks>
internal sealed class AssertionFailures : TraceListener
{
    [ThreadStatic]
    private static string? _first;

    /// <summary>Listens before the test host does.</summary>
    internal static void Watch() => Trace.Listeners.Insert(0, new AssertionFailures());

    /// <summary>Forgets what failed in another test that this thread ran: in a pile with damage that no checksum tells, some may.</summary>
    internal static void Forget() => _first = null;

    /// <summary>Throws if an assertion failed on this thread since <see cref="Forget"/>.</summary>
    internal static void ThrowIfAny()
    {
        if (_first is not { } message)
            return;
        _first = null;
        throw new InvalidOperationException("Assertion failed: " + message);
    }

    public override void Fail(string? message) => Fail(message, null);

    public override void Fail(string? message, string? detailMessage) =>
        _first ??= $"{message} {detailMessage}{Environment.NewLine}{new StackTrace(fNeedFileInfo: true)}";

    public override void Write(string? message)
    {
    }

    public override void WriteLine(string? message)
    {
    }
}
