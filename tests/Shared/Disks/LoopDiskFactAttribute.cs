using System;

namespace BigPile.Testing;

/// <summary>A test that mounts a file system of its own.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class LoopDiskFactAttribute : FactAttribute
{
    public LoopDiskFactAttribute()
    {
        if (!LoopDisk.IsPossible)
            Skip = "This process may not mount a file as a file system.";
    }
}
