using System;
using System.IO;

namespace BigPile.Tests.CrossProcess;

/// <summary>A test that builds for minutes, with packages that the short leg does not fetch.</summary>
[AttributeUsage(AttributeTargets.Method)]
public class LongPublishAttribute : TheoryAttribute
{
    public LongPublishAttribute() => Skip = TestLeg.IsLong ? null : "It builds for minutes: BIGPILE_LONG=1 runs it.";
}

/// <summary>One of Native AOT, which takes a linker.</summary>
public sealed class NativePublishAttribute : LongPublishAttribute
{
    public NativePublishAttribute()
    {
        string[] linkers = OperatingSystem.IsWindows() ? [] : ["/usr/bin/clang", "/usr/bin/gcc"];
        if (linkers.Length != 0 && !Array.Exists(linkers, File.Exists))
            Skip ??= "There is neither clang nor gcc here.";
    }
}
