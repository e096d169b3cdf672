using System;
using System.Runtime.InteropServices;
using BigPile.Memory;

namespace BigPile.Ports.Objects;

/// <summary>The mapped bytes of an arena. They stay until nobody refers to this: no span and no sleeper loses its memory.</summary>
internal sealed unsafe class Mapping : SafeHandle
{
    private readonly nuint _lengthBytes;

    /// <summary>Maps a file, all of which is allocated.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    internal Mapping(HeldFile file, long lengthBytes) : base(0, ownsHandle: true)
    {
        file.BeginMap();
        _lengthBytes = (nuint)lengthBytes;
        SetHandle((nint)(OperatingSystem.IsLinux() ? LinuxMap.Map(file, _lengthBytes) : WindowsMap.Map(file, _lengthBytes)));
        file.EndMap();
    }

    public override bool IsInvalid => handle == 0;

    internal byte* Start => (byte*)handle;

    /// <summary>Has all pages be there, so that the first round through them is as fast as the others.</summary>
    internal void Populate()
    {
        if (OperatingSystem.IsLinux())
            LinuxMap.Populate(Start, _lengthBytes);
        else
            WindowsMap.Populate(Start, _lengthBytes);
    }

    protected override bool ReleaseHandle() =>
        OperatingSystem.IsLinux() ? LinuxMap.Unmap(handle, _lengthBytes) : WindowsMap.Unmap(handle);
}
