// A sweep of a viscosity by Nextflow; docs/farms.md says how to start it.
// A task that leaves with 75 has written a checkpoint: it is run again, and goes on in the same folder.
nextflow.enable.dsl = 2

params.scene = "$projectDir/../../configs/wcsph/dam_break_2d.json"
params.runs = "$launchDir/runs"
params.frames = 20
params.nu = [1e-6, 1e-4, 1e-3]

process simulate {
    cpus 2
    errorStrategy { task.exitStatus in [74, 75, 143] ? 'retry' : 'finish' }
    maxRetries 20

    input:
    val nu

    output:
    tuple val(nu), stdout

    script:
    """
    exec 3>&1 1>&2
    rtsim run '${params.scene}' -o '${params.runs}/nu_${nu}' --resume=auto --quiet --threads ${task.cpus} \\
        --set /stages/0/kinematic_viscosity=${nu} --set /time/frames=${params.frames}
    tail -n 1 '${params.runs}/nu_${nu}/series.csv' >&3
    """
}

workflow {
    simulate(Channel.fromList(params.nu))
        .map { nu, row -> "${nu},${row.trim()}\n" }
        .collectFile(name: 'farm.csv', storeDir: launchDir, sort: true, seed: "nu,row\n")
}
