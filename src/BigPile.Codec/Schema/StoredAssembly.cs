using System;
using System.Reflection;

namespace BigPile.Codec.Schema;

/// <summary>The names of assemblies as stored type names have them.</summary>
internal static class StoredAssembly
{
    private const string LibraryName = "BigPile";

    // Its types were declared by the library's first assembly when they were first stored, and are of that one for ever.
    private const string CodecName = "BigPile.Codec";

    /// <summary>The name under which an assembly's types are stored.</summary>
    public static string? NameOf(Assembly assembly) => assembly.GetName().Name is not CodecName and var name ? name : LibraryName;

    /// <summary>Whether an assembly's name is the library's.</summary>
    public static bool IsLibrary(string name) => name == LibraryName || name.StartsWith(LibraryName + ".", StringComparison.Ordinal);
}
