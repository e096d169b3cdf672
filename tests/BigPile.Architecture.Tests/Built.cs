using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace BigPile.Architecture.Tests;

/// <summary>The built libraries, programs and tests, read from their IL.</summary>
internal sealed class Built : IDisposable
{
    private readonly DefaultAssemblyResolver _resolver = new();
    private readonly Dictionary<string, AssemblyDefinition> _read = new(StringComparer.Ordinal);

    internal Built()
    {
        _resolver.AddSearchDirectory(AppContext.BaseDirectory);
        _resolver.AddSearchDirectory(Path.GetDirectoryName(typeof(object).Assembly.Location));
    }

    /// <summary>The output path of a project's library, program or documentation, for the configuration of the tests.</summary>
    internal static string PathOf(string project, string extension = ".dll")
    {
        var own = new DirectoryInfo(AppContext.BaseDirectory);
        return Path.Combine(own.Parent!.Parent!.FullName, project, own.Name, project + extension);
    }

    /// <summary>Reads a project's built assembly.</summary>
    internal AssemblyDefinition Read(string project)
    {
        if (!_read.TryGetValue(project, out AssemblyDefinition? assembly))
            _read[project] = assembly = AssemblyDefinition.ReadAssembly(
                PathOf(project), new ReaderParameters { AssemblyResolver = _resolver });
        return assembly;
    }

    /// <summary>The operands of all instructions, each with its method.</summary>
    internal static IEnumerable<(MethodDefinition User, object Operand)> OperandsIn(AssemblyDefinition assembly) =>
        from type in assembly.MainModule.GetAllTypes()
        from method in type.Methods
        where method.HasBody
        from instruction in method.Body.Instructions
        where instruction.Operand != null
        select (method, instruction.Operand);

    /// <summary>The method or field of our code that an operand names, if any.</summary>
    internal static IMemberDefinition? OwnMember(object operand) => operand switch
    {
        MethodReference method when IsOurs(method) => method.GetElementMethod().Resolve(),
        FieldReference field when IsOurs(field) => field.Resolve(),
        _ => null,
    };

    /// <summary>Whether a member is visible outside of its library.</summary>
    /// <param name="type">The type that has it.</param>
    /// <param name="isPublic">Whether the member is visible where the type is, to users or derived types.</param>
    internal static bool IsSeen(TypeDefinition type, bool isPublic)
    {
        for (TypeDefinition? outer = type; outer != null; outer = outer.DeclaringType)
        {
            if (!outer.IsPublic && !outer.IsNestedPublic && !outer.IsNestedFamily)
                return false;
        }
        return isPublic;
    }

    public void Dispose()
    {
        foreach (AssemblyDefinition assembly in _read.Values)
            assembly.Dispose();
        _resolver.Dispose();
    }

    private static bool IsOurs(MemberReference member) =>
        member.DeclaringType.GetElementType().Scope.Name.StartsWith("BigPile", StringComparison.Ordinal);
}
