using System;
using System.Reflection;

namespace BigPile.Codec.Schema;

/// <summary>The names of assemblies in stored type names.</summary>
internal static class StoredAssembly
{
    private const string LibraryName = "BigPile";

    // Types of this assembly are stored under LibraryName: that assembly declared them when they were first stored.
    private const string CodecName = "BigPile.Codec";

    /// <summary>The name under which an assembly's types are stored.</summary>
    public static string? NameOf(Assembly assembly) => assembly.GetName().Name is not CodecName and var name ? name : LibraryName;

    /// <summary>Whether a name is that of one of the library's assemblies.</summary>
    public static bool IsLibrary(string name) => name == LibraryName || name.StartsWith(LibraryName + ".", StringComparison.Ordinal);
}
