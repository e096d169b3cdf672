using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile;

/// <summary>What the codec may read and write.</summary>
/// <remarks>
/// Types of the entry assembly and of all assemblies that refer to BigPile are allowed without further ado; so are the types of the base
/// class library that hold data. The types that the application names as keys and values of a table, or in a call of a hybrid cache, are
/// allowed by that, with the assemblies of what they are declared to hold. Types of other assemblies must be allowed here, since a stored
/// type name never makes the codec load or use a type that the application did not mean to store. Thread safety: none; the options
/// are read when the codec is made.
/// </remarks>
public sealed class PileCodecOptions
{
    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    internal HashSet<Assembly> Assemblies { get; private init; } = [];

    /// <summary>The types that the application named while it ran.</summary>
    internal ConditionalWeakTable<Type, object> NamedTypes { get; } = [];

    /// <summary>The assemblies that are allowed by that. Thread safety: all members may be called concurrently.</summary>
    internal ConditionalWeakTable<Assembly, object> NamedAssemblies { get; } = [];

    internal HashSet<Type> Types { get; private init; } = [];

    /// <summary>Types by the full names that they had.</summary>
    internal Dictionary<string, Type> FormerTypes { get; private init; } = [];

    /// <summary>Members of a type by the names that they had.</summary>
    internal Dictionary<(Type Type, string Former), string> FormerMembers { get; private init; } = [];

    /// <summary>
    /// When types get generated code. Tests choose, so that every case runs on the interpreter alone and on generated code alone.
    /// </summary>
    internal CodeGeneration CodeGeneration { get; set; } =
        RuntimeFeature.IsDynamicCodeCompiled ? CodeGeneration.WhenHot : CodeGeneration.Never;

    /// <summary>
    /// Whether types with the attributes of MessagePack-CSharp may hold what that library could not read: shared references and cycles,
    /// objects of other classes than a place is declared with, comparers, and members of any type that the pile stores. Otherwise
    /// such an object is refused, so that a payload of these types always has the bytes that the library gives it.
    /// </summary>
    /// <remarks>Payloads of both kinds are read in any case. Types with data contracts alone may always hold all that.</remarks>
    public bool MayExtendContracts { get; init; }

    /// <summary>
    /// Whether a class that has gained members since its objects were stored is made by its constructor without parameters, so that
    /// the new members have what their initializers say. Otherwise, and in a class without such a constructor, new members are
    /// <see langword="null"/> or zero. Stored members are filled in afterwards.
    /// </summary>
    /// <remarks>The constructor may be private. It runs only for objects of an older schema.</remarks>
    public bool InitializeNewMembers { get; init; }

    /// <summary>Says that a type had another name when objects of it were stored; see <see cref="FormerNameAttribute"/>.</summary>
    /// <param name="formerName">The full name that it had.</param>
    /// <param name="type">The type; of a generic one its definition or any type made from it.</param>
    /// <returns>These options.</returns>
    public PileCodecOptions Rename(string formerName, Type type)
    {
        ArgumentException.ThrowIfNullOrEmpty(formerName);
        ArgumentNullException.ThrowIfNull(type);
        FormerTypes[formerName] = DefinitionOf(type);
        return this;
    }

    /// <summary>Says that a member had another name when objects of its type were stored.</summary>
    /// <param name="type">The type that declares the member; of a generic one its definition or any type made from it.</param>
    /// <param name="formerName">The name that the field, the property or the captured parameter had.</param>
    /// <param name="name">The name that it has.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The type declares no such field or property, and captures no such parameter.</exception>
    public PileCodecOptions Rename(Type type, string formerName, string name)
    {
        ArgumentNullException.ThrowIfNull(type);
        ArgumentException.ThrowIfNullOrEmpty(formerName);
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (type.GetMember(name, Declared).Length == 0 && type.GetMember(CapturedField(name), Declared).Length == 0)
            throw new ArgumentException($"Type {type} declares no field or property {name}, and captures no such parameter.", nameof(name));
        FormerMembers[(DefinitionOf(type), formerName)] = name;
        return this;
    }

    /// <summary>The same options, with nothing named: what the application changes later does not count for them.</summary>
    internal PileCodecOptions Copy() => new()
    {
        Assemblies = [.. Assemblies],
        Types = [.. Types],
        FormerTypes = new Dictionary<string, Type>(FormerTypes),
        FormerMembers = new Dictionary<(Type Type, string Former), string>(FormerMembers),
        CodeGeneration = CodeGeneration,
        MayExtendContracts = MayExtendContracts,
        InitializeNewMembers = InitializeNewMembers,
    };

    /// <summary>The field that the compiler makes for a parameter of a primary constructor that the class uses elsewhere.</summary>
    internal static string CapturedField(string parameter) => $"<{parameter}>P";

    private static Type DefinitionOf(Type type) => type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;

    /// <summary>Allows the objects of one class or structure; a generic one with any allowed arguments.</summary>
    /// <returns>These options.</returns>
    public PileCodecOptions Allow(Type type)
    {
        ArgumentNullException.ThrowIfNull(type);
        Types.Add(DefinitionOf(type));
        return this;
    }

    /// <summary>Allows all classes and structures of an assembly.</summary>
    /// <returns>These options.</returns>
    public PileCodecOptions Allow(Assembly assembly)
    {
        ArgumentNullException.ThrowIfNull(assembly);
        Assemblies.Add(assembly);
        return this;
    }
}
