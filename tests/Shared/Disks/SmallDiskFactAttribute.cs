using System;

namespace BigPile.Testing;

/// <summary>Runs where a small file system can be mounted.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class SmallDiskFactAttribute : FactAttribute
{
    public SmallDiskFactAttribute()
    {
        if (!SmallDisk.IsPossible)
            Skip = "Mounting a small file system takes Linux and the rights of root.";
    }
}
