using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile;

/// <summary>The types that the codec may read and write, and how.</summary>
/// <remarks>
/// Always allowed: types of the entry assembly and of all assemblies that refer to BigPile, and the base class library's types that hold
/// data. Allowed by use: types that the application names as keys and values of a table, or in a call of a hybrid cache, together with the
/// assemblies of their members' types. All other types must be allowed here, because a stored type name must never make the codec load
/// or use a type that the application did not mean to store. Thread safety: none; the options are read when the codec is made.
/// </remarks>
public sealed class PileCodecOptions
{
    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    internal HashSet<Assembly> Assemblies { get; private init; } = [];

    /// <summary>The types that the application has named while running.</summary>
    internal ConditionalWeakTable<Type, object> NamedTypes { get; } = [];

    /// <summary>The assemblies that the named types allow. Thread safety: all members may be called concurrently.</summary>
    internal ConditionalWeakTable<Assembly, object> NamedAssemblies { get; } = [];

    internal HashSet<Type> Types { get; private init; } = [];

    /// <summary>Types by their former full names.</summary>
    internal Dictionary<string, Type> FormerTypes { get; private init; } = [];

    /// <summary>Present names of members, by type and former name.</summary>
    internal Dictionary<(Type Type, string Former), string> FormerMembers { get; private init; } = [];

    /// <summary>
    /// When types get generated code. Tests set it, to run every case on the interpreter alone and on generated code alone.
    /// </summary>
    internal CodeGeneration CodeGeneration { get; set; } =
        RuntimeFeature.IsDynamicCodeCompiled ? CodeGeneration.WhenHot : CodeGeneration.Never;

    /// <summary>
    /// Whether types with the attributes of MessagePack-CSharp may hold what that library can't read: shared references and cycles,
    /// objects of another class than the member declares, comparers, and members of any type that the pile stores. If not, such an
    /// object is refused, so that payloads of these types always have the library's bytes.
    /// </summary>
    /// <remarks>Payloads of both kinds are always readable. Types that have only data contracts may always hold all of these.</remarks>
    public bool MayExtendContracts { get; init; }

    /// <summary>
    /// Whether the parameterless constructor runs for objects stored before their class gained members, so that the new members get their
    /// initializers' values. If not, or if the class has no such constructor, new members are <see langword="null"/> or zero. Stored
    /// members are filled in afterwards.
    /// </summary>
    /// <remarks>The constructor may be private. It runs only for objects of an older schema.</remarks>
    public bool InitializeNewMembers { get; init; }

    /// <summary>Gives a type's former name; see <see cref="FormerNameAttribute"/>.</summary>
    /// <param name="formerName">The former full name.</param>
    /// <param name="type">The type. For a generic type: its definition or any type constructed from it.</param>
    /// <returns>These options.</returns>
    public PileCodecOptions Rename(string formerName, Type type)
    {
        ArgumentException.ThrowIfNullOrEmpty(formerName);
        ArgumentNullException.ThrowIfNull(type);
        FormerTypes[formerName] = DefinitionOf(type);
        return this;
    }

    /// <summary>Gives a member's former name; see <see cref="FormerNameAttribute"/>.</summary>
    /// <param name="type">The type that declares the member. For a generic type: its definition or any type constructed from it.</param>
    /// <param name="formerName">The former name of the field, the property or the captured parameter.</param>
    /// <param name="name">The present name.</param>
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

    /// <summary>Copies the options without the named types. Later changes of these options do not affect the copy.</summary>
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

    /// <summary>The name of the field that the compiler makes for a captured parameter of a primary constructor.</summary>
    internal static string CapturedField(string parameter) => $"<{parameter}>P";

    private static Type DefinitionOf(Type type) => type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;

    /// <summary>Allows objects of one class or structure; a generic type with any allowed arguments.</summary>
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
