using System;

namespace BigPile.Ports.Tests;

/// <summary>A test of what only Linux has.</summary>
internal sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute()
    {
        if (!OperatingSystem.IsLinux())
            Skip = "Only Linux has the rights of files that this is about.";
    }
}

/// <summary>Tests of what only Linux has.</summary>
internal sealed class LinuxTheoryAttribute : TheoryAttribute
{
    public LinuxTheoryAttribute()
    {
        if (!OperatingSystem.IsLinux())
            Skip = "Elsewhere no file is removed that is in use.";
    }
}
