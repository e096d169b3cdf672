using System;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;

namespace BigPile.Codec.Schema;

/// <summary>
/// Finds framework types by stored name: public interfaces, abstract classes and enumerations, which can't be instantiated, and exceptions.
/// </summary>
/// <remarks>
/// The stored name has the assembly that declared the type when it was stored. A later framework may have moved the type, so the façade
/// assemblies are searched too. Only assemblies with the framework's signature are accepted; loading one runs none of its code.
/// </remarks>
internal static class FrameworkNames
{
    private static readonly string[] Facades = ["System.Runtime", "netstandard"];

    private static readonly byte[][] Tokens =
    [
        [0x7c, 0xec, 0x85, 0xd7, 0xbe, 0xa7, 0x79, 0x8e], // System.Private.CoreLib
        [0xb0, 0x3f, 0x5f, 0x7f, 0x11, 0xd5, 0x0a, 0x3a],
        [0xb7, 0x7a, 0x5c, 0x56, 0x19, 0x34, 0xe0, 0x89],
        [0xcc, 0x7b, 0x13, 0xff, 0xcd, 0x2d, 0xdd, 0x51],
    ];

    // Also the token of the compiler's own assemblies.
    private static readonly byte[] DesktopToken = [0x31, 0xbf, 0x38, 0x56, 0xad, 0x36, 0x4e, 0x35];
    private static readonly byte[] AspNetCoreToken = [0xad, 0xb9, 0x79, 0x38, 0x29, 0xdd, 0xae, 0x60];

    /// <summary>Whether a type definition can't be instantiated, or is an exception, which is data.</summary>
    public static bool IsNameOnly(Type definition) =>
        (definition.IsAbstract || definition.IsEnum) && definition.IsVisible && IsFramework(definition.Assembly.GetName())
            || IsException(definition);

    public static bool IsException(Type type) =>
        type.IsSubclassOf(typeof(Exception)) && type.IsVisible && IsFramework(type.Assembly.GetName());

    public static bool IsOfFramework(Type type) => IsFramework(type.Assembly.GetName());

    /// <summary>Whether an assembly comes with .NET or ASP.NET, and so refers to no application's assembly.</summary>
    public static bool ComesWithFramework(AssemblyName name) =>
        name.GetPublicKeyToken() is { } token
        && (IsKnown(token) || token.AsSpan().SequenceEqual(AspNetCoreToken) || token.AsSpan().SequenceEqual(DesktopToken));

    /// <summary>Finds a type definition by name, or null.</summary>
    public static Type? Find(string assemblyName, string fullName)
    {
        if (!IsFrameworkName(assemblyName))
            return null;
        Type? type = FindIn(assemblyName, fullName);
        for (int i = 0; type is null && i < Facades.Length; i++)
            type = FindIn(Facades[i], fullName);
        return type;
    }

    private static Type? FindIn(string assemblyName, string fullName)
    {
        try
        {
            Assembly assembly = AssemblyLoadContext.Default.LoadFromAssemblyName(new AssemblyName(assemblyName));
            return IsFramework(assembly.GetName()) && assembly.GetType(fullName) is { } type && IsNameOnly(type) ? type : null;
        }
        catch (Exception e) when (e is IOException or BadImageFormatException or ArgumentException)
        {
            return null; // this process has no such assembly
        }
    }

    private static bool IsFrameworkName(string name) =>
        name is "System" or "mscorlib" or "netstandard" || name.StartsWith("System.", StringComparison.Ordinal);

    private static bool IsFramework(AssemblyName name) =>
        name.Name is { } text && IsFrameworkName(text) && name.GetPublicKeyToken() is { } token && IsKnown(token);

    private static bool IsKnown(byte[] token) => Array.Exists(Tokens, known => known.AsSpan().SequenceEqual(token));
}
