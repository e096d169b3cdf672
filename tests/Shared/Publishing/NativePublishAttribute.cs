using System;
using System.IO;

namespace BigPile.Testing;

/// <summary>A test that builds a program of Native AOT, which takes a linker.</summary>
public sealed class NativePublishAttribute : LongPublishAttribute
{
    public NativePublishAttribute()
    {
        string[] linkers = OperatingSystem.IsWindows() ? [] : ["/usr/bin/clang", "/usr/bin/gcc"];
        if (linkers.Length != 0 && !Array.Exists(linkers, File.Exists))
            Skip ??= "There is neither clang nor gcc here.";
    }
}
